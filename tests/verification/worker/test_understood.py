"""What the compiler takes and Triton's interpreter does not by itself."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tests.layers import few
from tritonopt.verification import Verdict
from tritonopt.verification.worker.triton_interpreter import libdevice

_TEXT = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    tl.store(y + o, v + 1, mask=o < n)

def launch(x: torch.Tensor):
    (n,) = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
"""

FORMS = {
    "quoted annotations": [("BLOCK: tl.constexpr", 'BLOCK: "tl.constexpr"')],
    "postponed annotations": [
        ("\nimport torch", "from __future__ import annotations\nimport torch")
    ],
    "another name for the language": [
        ("triton.language as tl", "triton.language as T"),
        ("tl.", "T."),
    ],
    "the language by its whole name": [
        ("import triton.language as tl", "import triton.language"),
        ("tl.", "triton.language."),
    ],
    "jit after the definition": [
        ("@triton.jit\n", ""),
        ("\ndef launch", "\nkernel = triton.jit(kernel)\n\ndef launch"),
    ],
    "one of two kernels": [
        ("\ndef launch", "\nother = kernel\n\ndef launch"),
        ("    kernel[", "    fx = kernel if n % 2 else other\n    fx["),
    ],
    "if on a block of one element": [
        (
            "    tl.store",
            "    t = tl.full((1,), 3, tl.int32)\n    if t > 2:\n        v += 1\n    tl.store",
        ),
    ],
    "a flag that is no constant": [
        ("n, BLOCK: ", "n, flag, BLOCK: "),
        ("    tl.store", "    v = tl.where(flag, v, -v)\n    tl.store"),
        ("n, BLOCK=", "n, n > 20, BLOCK="),
    ],
    "the other bits of unsigned numbers": [
        (
            "    tl.store",
            "    bits = ~v.to(tl.int32).to(tl.uint32)\n    v += (bits & 15).to(tl.float32)\n"
            "    tl.store",
        ),
    ],
    "the opposite of what two numbers show": [
        (
            "    tl.store",
            "    far = tl.broadcast_to(tl.max(v, axis=0) > 100.0, (BLOCK,))\n"
            "    v = tl.where(~far, v, -v)\n    tl.store",
        ),
    ],
    "other names for functions of the language": [
        ("\n@triton.jit", "\nfrom triton.language import exp\n\nload = tl.load\n\n@triton.jit"),
        ("v = tl.load", "v = load"),
        ("    tl.store", "    v += exp(-v * v)\n    tl.store"),
    ],
    "if on a reduced block": [
        (
            "    tl.store",
            "    t = tl.max(v, 0, keep_dims=True)\n    if t > 0:\n        v += 1\n    tl.store",
        ),
    ],
    "a key for a kernel with a helper of the language": [
        ("\n@triton.jit\ndef kernel", "\nuniform = tl.cdiv\n\n@triton.jit\ndef kernel"),
        ("    tl.store", "    v += uniform(n, BLOCK)\n    tl.store"),
        ("\ndef launch", "\nKEY = kernel.cache_key\n\ndef launch"),
    ],
    "tensors on a GPU": [
        (
            "    y = torch.empty_like(x)",
            '    if x.device.type != "cuda" or x.get_device() != x.device.index:\n'
            '        raise ValueError("x is not on a GPU")\n'
            "    with torch.device(x.device):\n"
            "        y = torch.empty(n, dtype=x.dtype) + torch.zeros(n, device=x.device)\n"
            "    y = y.to(x.device).to(x.dtype)",
        ),
    ],
    "numbers from the generator of the GPU": [
        (
            "    kernel[",
            "    generator = torch.cuda.default_generators[torch.cuda.current_device()]\n"
            "    state = generator.get_state()\n"
            "    seed, offset = state.view(torch.int64)\n"
            "    x = x + int(seed) + int(offset)\n"
            "    offset += 4\n"
            "    generator.set_state(state)\n"
            "    kernel[",
        ),
    ],
}
LIBDEVICE = {
    "llrint": [-2, 0, 2, 9], "llround": [-3, 1, 3, 9], "float2int_rd": [-3, 0, 2, 9],
    "round": [-3.0, 1.0, 3.0, 9.0], "fdim": [0.0, 0.0, 0.0, 0.0], "saturatef": [0.0, 0.5, 1.0, 1.0],
    "normcdf": [0.006209665, 0.69146246, 0.99379033, 1.0], "rcp_rn": [-0.4, 2.0, 0.4, 1 / 9],
    "tgamma": [-0.94530872, 1.77245385, 1.32934039, 40320.0],
}  # fmt: skip


@pytest.mark.parametrize("form", few(FORMS, 2, 5, 7, 8, 12))
def test_a_form_that_the_compiler_takes(form: str, of_texts: Callable[..., Verdict]) -> None:
    text = _TEXT
    for old, new in FORMS[form]:
        assert old in text
        text = text.replace(old, new)
    verdict = of_texts(text, text, max_examples=6)
    assert verdict.verdict == "identical", verdict.reason
    wrong = of_texts(text, text.replace("v + 1,", "v + 2,"), max_examples=6)
    assert wrong.verdict == "counterexample"


@pytest.mark.parametrize("name", LIBDEVICE)
def test_what_libdevice_computes(name: str) -> None:
    operation = libdevice._SAME_TYPE.get(name) or libdevice._TO_INT32.get(name)
    operation = operation or libdevice._TO_INT64[name]
    values = np.array([-2.5, 0.5, 2.5, 9.0], np.float32)
    operands = (values, values) if name == "fdim" else (values,)
    assert np.allclose(operation(*operands), LIBDEVICE[name], rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_quotient_is_rounded_toward_0(dtype: type) -> None:
    random = np.random.default_rng(0)
    x, y = (random.standard_normal(500).astype(dtype) for _ in range(2))
    found = libdevice._SAME_TYPE["div_rz"](x, y)
    assert found.dtype == dtype
    away = np.nextafter(found, np.copysign(np.inf, found).astype(dtype))
    for q, next_one, a, b in zip(*(part.tolist() for part in (found, away, x, y)), strict=True):
        exact = abs(Fraction(a) / Fraction(b))
        assert abs(Fraction(q)) <= exact < abs(Fraction(next_one))


def test_a_quotient_of_what_is_not_finite() -> None:
    x, y = np.array([1, np.inf, -3e38, 0, 2], np.float32), np.array([0, 2, 0.1, 0, np.inf], "f4")
    with np.errstate(all="ignore"):
        found = libdevice._SAME_TYPE["div_rz"](x, y)
    largest = np.finfo(np.float32).max
    np.testing.assert_array_equal(found, np.array([np.inf, np.inf, -largest, np.nan, 0], "f4"))


def test_libdevice_runs_in_a_kernel(of_texts: Callable[..., Verdict]) -> None:
    text = _TEXT.replace("v + 1,", "libdevice.llrint(v).to(tl.float32) + libdevice.round(v),")
    text = text.replace(
        "import torch\n", "import torch\nfrom triton.language.extra import libdevice\n"
    )
    verdict = of_texts(text, text, max_examples=6)
    assert verdict.verdict == "identical", verdict.reason
    wrong = of_texts(text, text.replace("libdevice.round", "libdevice.trunc"), max_examples=6)
    assert wrong.verdict == "counterexample"


def test_what_libdevice_has_for_some_types_is_no_reason_for_no_answer(
    of_texts: Callable[..., Verdict],
) -> None:
    text = _TEXT.replace("v + 1,", "libdevice.div_rz(v, 2 * v + 3),")
    text = text.replace(
        "import torch\n", "import torch\nfrom triton.language.extra import libdevice\n"
    )
    args = "x: f32|bf16[n]"
    verdict = of_texts(text, text.replace("2 * v + 3", "3 + 2 * v"), args=args, max_examples=6)
    assert verdict.verdict == "identical", verdict.reason
    wrong = of_texts(text, text.replace("div_rz", "div_rn"), args=args, max_examples=6)
    assert wrong.verdict != "identical", wrong.verdict


def test_libdevice_on_bfloat16_beside_float32(of_texts: Callable[..., Verdict]) -> None:
    text = _TEXT.replace("v + 1,", "libdevice.pow(2.0 + v * v, 0.5),")
    text = text.replace(
        "import torch\n", "import torch\nfrom triton.language.extra import libdevice\n"
    )
    same = text.replace("2.0 + v * v, 0.5", "v * v + 2.0, 0.5")
    verdict = of_texts(text, same, args="x: bf16[n]", max_examples=6)
    assert verdict.verdict == "identical", verdict.reason
    wrong = of_texts(text, text.replace(", 0.5)", ", 0.6)"), args="x: bf16[n]", max_examples=6)
    assert wrong.verdict == "counterexample"
