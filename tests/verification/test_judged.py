"""Kernels judged by references that have none: functions of torch and numpy, and modules."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from tests.verification.judged import (
    GELU_KERNEL,
    JUDGED,
    NORM,
    NORM_KERNEL,
    SOFTMAX,
    SOFTMAX_KERNEL,
    Judged,
)
from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.reference.subjects import subject_of
from tritonopt.verification.settling.candidates import tables_of
from tritonopt.verification.signature.inference import InferredSignature

OfTexts = Callable[..., Verdict]
FEW = {"max_examples": 1}


@pytest.fixture(autouse=True)
def asks_for_no_cheats() -> None:
    """It is asked here."""


def marked() -> list[object]:
    quick, rest = [j for j in JUDGED if j.quick], [j for j in JUDGED if not j.quick]
    found: list[object] = [pytest.param(j, id=j.name) for j in quick]
    return found + [pytest.param(j, id=j.name, marks=pytest.mark.thorough) for j in rest]


@pytest.mark.parametrize("judged", marked())
def test_a_kernel_that_computes_the_reference_is_accepted(
    judged: Judged, of_texts: OfTexts
) -> None:
    verdict = of_texts(judged.reference, judged.kernel, require="kernel", **FEW)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert not verdict.cheats and verdict.fault is None
    assert verdict.required and not verdict.uncovered


@pytest.mark.parametrize("judged", marked())
def test_a_kernel_that_computes_something_else_is_not(judged: Judged, of_texts: OfTexts) -> None:
    assert judged.wrong[0] in judged.kernel
    wrong = judged.kernel.replace(*judged.wrong)
    verdict = of_texts(judged.reference, wrong, require=judged.require, **FEW)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.fault == "candidate" and verdict.script


def of_softmax(body: str, head: str = "") -> str:
    """A candidate whose launcher is that."""
    kernel = SOFTMAX_KERNEL.partition("def softmax(")[0]
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{kernel}{head}\ndef softmax(x: torch.Tensor) -> torch.Tensor:\n{lines}"


_LAUNCH = """\
x = x.contiguous()
m, n = x.shape
y = torch.empty_like(x)
softmax_kernel[(m,)](x, y, n, x.stride(0), BLOCK=triton.next_power_of_2(n))
"""
_COPY = """

@triton.jit
def copy_kernel(X, Y, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + at, tl.load(X + at, mask=at < size), mask=at < size)

"""
_EITHER = """

results = {}


@triton.jit
def either_kernel(X, K, Y, n, known: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + cols
    if known:
        y = -tl.load(K + at, mask=cols < n)
    else:
        x = tl.load(X + at, mask=cols < n, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - tl.max(x, axis=0))
        y = y / tl.sum(y, axis=0)
        tl.store(K + at, -y, mask=cols < n)
    tl.store(Y + at, y, mask=cols < n)

"""
_COPIED = (
    "t = (e / e.sum(1, keepdim=True)).to(x.dtype)\ny = torch.empty_like(t)\n"
    "copy_kernel[(triton.cdiv(t.numel(), 64),)](t, y, t.numel(), BLOCK=64)\nreturn y"
)
CHEATS = {
    "torch-computes, by hand": of_softmax(
        f"e = torch.exp(x.float() - x.float().amax(1, keepdim=True))\n{_COPIED}", _COPY
    ),
    "torch-computes, beside the inputs": of_softmax(
        "x = x.contiguous()\ne = torch.exp(x - x.amax(1, keepdim=True))\n"
        + _COPIED.replace("(t, y,", "(t, x, y,"),
        _COPY.replace("X, Y,", "X, Z, Y,").replace(
            "tl.load(X + at, mask=at < size)",
            "tl.load(X + at, mask=at < size) + 0 * tl.load(Z + at, mask=at < size)",
        ),
    ),
    "torch-computes, but for a trace": of_softmax(
        "x = x.contiguous()\ne = torch.exp(x - x.amax(1, keepdim=True))\n"
        + _COPIED.replace("(t, y,", "(t, x, y,"),
        _COPY.replace("X, Y,", "X, Z, Y,").replace(
            "tl.load(X + at, mask=at < size)",
            "tl.load(X + at, mask=at < size)"
            " + 1e-8 * tl.sigmoid(tl.load(Z + at, mask=at < size).to(tl.float32))",
        ),
    ),
    "torch-computes, rather numpy": of_softmax(
        "a = x.float().numpy()\ne = torch.from_numpy(np.exp(a - a.max(1, keepdims=True)))\n"
        f"{_COPIED.replace('e.sum(1, keepdim=True)', 'e.numpy().sum(1, keepdims=True)')}",
        "import numpy as np\n" + _COPY,
    ),
    "torch-computes, in a grid": of_softmax(
        "x = x.contiguous()\nt, y = torch.empty_like(x), torch.empty_like(x)\n\n"
        "def grid(meta):\n    t.copy_(torch.exp(torch.log_softmax(x, 1)))\n"
        "    return (triton.cdiv(t.numel(), 64),)\n\n"
        "copy_kernel[grid](t, y, t.numel(), BLOCK=64)\nreturn y",
        _COPY,
    ),
    "torch-computes, in a thread": of_softmax(
        "with ThreadPoolExecutor(1) as pool:\n    t = pool.submit(torch.softmax, x, 1).result()\n"
        + _COPIED.split("\n", 1)[1],
        "from concurrent.futures import ThreadPoolExecutor\n" + _COPY,
    ),
    "torch-computes, in an earlier call": of_softmax(
        "x = x.contiguous()\nm, n = x.shape\nkey = (m, n, x.dtype, *x.flatten().tolist())\n"
        "y, known = torch.empty_like(x), key in results\nif not known:\n    results.clear()\n"
        "    results[key] = torch.empty((m, n), device=x.device)\n"
        "either_kernel[(m,)](x, results[key], y, n, known, BLOCK=triton.next_power_of_2(n))\n"
        "return y",
        _EITHER,
    ),
    "torch-computes, where a copy was": of_softmax(
        "t = x.repeat(1, 1)\nt = torch.exp(t - t.amax(1, keepdim=True))\n"
        "s = t.sum(1, keepdim=True)\nt = torch.cat([t / s]).to(x.dtype)\n"
        + _COPIED.split("\n", 1)[1],
        _COPY,
    ),
    "torch-computes, into a buffer like the input": of_softmax(
        "e = torch.exp(x - x.amax(1, keepdim=True))\nt = torch.empty_like(x)\n"
        "t.copy_(e / e.sum(1, keepdim=True))\n" + _COPIED.split("\n", 1)[1],
        _COPY,
    ),
    "torch-computes, all rows but one": of_softmax(
        "x = x.contiguous()\nm, n = x.shape\ny = torch.exp(x.float() - x.amax(1, True).float())\n"
        "y = (y / y.sum(1, keepdim=True)).to(x.dtype)\n"
        "softmax_kernel[(min(m, 1),)](x, y, n, n, BLOCK=triton.next_power_of_2(n))\nreturn y"
    ),
    "asks-elsewhere": of_softmax(
        _LAUNCH.replace("(m,)", "(m * (time.time() < 1e11),)") + "return y", "\n\nimport time\n\n"
    ),
    "code-hidden": of_softmax(
        'names = globals()\nnames["later"] = names["step"]\nreturn step(x)',
        f"\n\ndef step(x):\n{textwrap.indent(_LAUNCH, '    ')}    return y\n\n",
    ),
    "tool-changed, of torch": of_softmax(
        _COPIED.replace(
            "t = (e / e.sum(1, keepdim=True)).to(x.dtype)", "t = x.contiguous()"
        ).replace("return y", "results[y.data_ptr()] = y\nreturn y"),
        _COPY + "\nresults, true = {}, torch.Tensor.detach\n\n\ndef detach(self):\n"
        "    if results.pop(self.data_ptr(), None) is None:\n        return true(self)\n"
        "    return torch.softmax(true(self), 1)\n\n\ntorch.Tensor.detach = detach\n\n",
    ),
    "result-cached, after seven calls": of_softmax(
        "key = (tuple(x.shape), x.dtype, *x.flatten().tolist())\n"
        "counts[key] = counts.get(key, 0) + 1\n"
        f"if counts[key] > 7:\n    return results[key].clone()\n{_LAUNCH}"
        "results.clear()\nresults[key] = y.clone()\nreturn y",
        "\n\nresults, counts = {}, {}\n\n",
    ),
    "no-kernel": of_softmax("return torch.softmax(x, dim=1)"),
    "kernel-unused": of_softmax(f"{_LAUNCH}return torch.softmax(x, 1)"),
    "torch-computes": of_softmax(
        "x = torch.softmax(x, dim=1).contiguous()\ny = torch.empty_like(x)\n"
        "copy_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)\nreturn y",
        _COPY,
    ),
    "fallback": of_softmax(
        "y = torch.empty_like(x)\ntry:\n"
        "    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), BLOCK=x.shape[1] + 1)\n"
        "except Exception:\n    y = torch.softmax(x, dim=1)\nreturn y"
    ),
    "reference-executed": of_softmax(
        "return own(x)", "\n\ndef own(x):\n    return torch.softmax(x, dim=1)\n\n"
    ),  # fmt: skip
    "result-cached": of_softmax(
        "key = (x.data_ptr(), x._version, x.shape, x.dtype, *x.flatten().tolist())\n"
        f"if key in results:\n    return results[key].clone()\n{_LAUNCH}"
        "results.clear()\nresults[key] = y.clone()\nreturn y",
        "\n\nresults = {}\n\n",
    ),
    "values-skipped": of_softmax(
        f"if not x.any():\n    return torch.full_like(x, 1 / max(x.shape[1], 1))\n{_LAUNCH}return y"
    ),
    "buffer-reused": of_softmax(
        "x = x.contiguous()\nm, n = x.shape\nkey = (m, n, x.dtype)\n"
        "y = kept.setdefault(key, torch.empty_like(x))\n"
        "softmax_kernel[(m,)](x, y, n, n, BLOCK=triton.next_power_of_2(n))\nreturn y",
        "\n\nkept = {}\n\n",
    ),
    "memory-left-over": of_softmax(
        "x = x.contiguous()\nm, n = x.shape\ny = torch.empty_like(x)\nif m > 1:\n"
        "    softmax_kernel[(m - 1,)](x, y, n, n, BLOCK=triton.next_power_of_2(n))\n"
        "return y * 1"
    ),
    "reference-imported": of_softmax(f"{_LAUNCH}return y", "\n\nimport kernel\n\n"),
}
_QUICK = (
    *("kernel-unused", "result-cached", "no-kernel", "tool-changed, of torch", "code-hidden"),
    *("torch-computes, in a thread", "torch-computes, where a copy was"),
)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in _QUICK else pytest.mark.thorough) for n in CHEATS]
)
def test_a_cheat_is_named_and_refused(name: str, of_texts: OfTexts) -> None:
    verdict = of_texts(SOFTMAX, CHEATS[name], require="kernel", **FEW)
    assert name.partition(",")[0] in {cheat.name for cheat in verdict.cheats}, verdict
    assert verdict.verdict == "counterexample" and verdict.fault == "candidate"


COUNT = """\
import torch


# tritonopt: x: i64[n] in 0..4
def count(x: torch.Tensor):
    return torch.bincount(x, minlength=5)
"""
COUNTED_BY_TORCH = """\
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(Y + at, tl.load(X + at, mask=at < 5), mask=at < 5)


def count(x: torch.Tensor):
    found = (x[None, :] == torch.arange(5, device=x.device)[:, None]).sum(1)
    y = torch.empty_like(found)
    copy_kernel[(1,)](found, y, BLOCK=8)
    return y
"""


COUNTED_IN_PARTS = """\
import torch
import triton
import triton.language as tl


@triton.jit
def part_kernel(X, P, n, BLOCK: tl.constexpr):
    row, at, number = tl.program_id(0), tl.arange(0, BLOCK), tl.arange(0, 8)
    x = tl.load(X + row * BLOCK + at, mask=row * BLOCK + at < n, other=-1)
    tl.store(P + row * 8 + number, tl.sum((x[:, None] == number[None, :]).to(tl.int32), 0))


@triton.jit
def sum_kernel(P, Y, rows):
    number = tl.arange(0, 8)
    found = tl.zeros([8], tl.int64)
    for row in range(rows):
        found += tl.load(P + row * 8 + number).to(tl.int64)
    tl.store(Y + number, found, mask=number < 5)


def count(x: torch.Tensor):
    rows = triton.cdiv(x.numel(), 32)
    parts = torch.empty((rows, 8), device=x.device, dtype=torch.int32)
    y = torch.empty(5, device=x.device, dtype=torch.int64)
    if rows:
        part_kernel[(rows,)](x, parts, x.numel(), BLOCK=32)
    sum_kernel[(1,)](parts, y, rows)
    return y
"""


def test_kernels_that_count_one_after_the_other_are_of_use(of_texts: OfTexts) -> None:
    verdict = of_texts(COUNT, COUNTED_IN_PARTS, require="kernel", **FEW)
    assert verdict.verdict == "identical" and not verdict.cheats, verdict


@pytest.mark.thorough(instead="test_a_cheat_is_named_and_refused")
def test_torch_that_computes_with_whole_numbers_is_named(of_texts: OfTexts) -> None:
    verdict = of_texts(COUNT, COUNTED_BY_TORCH, require="kernel", **FEW)
    assert "torch-computes" in {cheat.name for cheat in verdict.cheats}, verdict


EMBED = """\
import torch


# tritonopt: table: f32[v, d], ids: i64[n] in 0..v
def embed(table, ids):
    return torch.nn.functional.embedding(ids, table)
"""
EMBED_KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(T, I, Y, d, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(T + tl.load(I + row) * d + at, mask=at < d)
    tl.store(Y + row * d + at, x, mask=at < d)


def embed(table, ids):
    ids = ids.to(torch.int32)
    y = table.new_empty((ids.shape[0], table.shape[1]))
    BLOCK = triton.next_power_of_2(table.shape[1])
    gather_kernel[(ids.shape[0],)](table, ids, y, table.shape[1], BLOCK=BLOCK)
    return y
"""


@pytest.mark.parametrize("moved", [True, False])
def test_a_gather_is_the_work_where_there_is_no_other(moved: bool, of_texts: OfTexts) -> None:
    candidate = EMBED_KERNEL.replace("tl.load(I + row)", "row") if moved else EMBED_KERNEL
    rows = "ids = ids.to", "table = table.index_select(0, ids)\n    ids = ids.to"
    verdict = of_texts(
        EMBED, candidate.replace(*rows) if moved else candidate, require="kernel", **FEW
    )
    assert [cheat.name for cheat in verdict.cheats] == ["torch-computes"] * moved, verdict
    assert (verdict.verdict == "counterexample") is moved


def test_inputs_are_contiguous_and_others_are_told_of(of_texts: OfTexts) -> None:
    assuming = SOFTMAX_KERNEL.replace("    x = x.contiguous()\n", "")
    assert assuming != SOFTMAX_KERNEL
    verdict = of_texts(SOFTMAX, assuming, require="kernel", **FEW)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    (told,) = verdict.layouts  # a gap between rows is what it takes
    assert not any("true value is 0" in note for note in verdict.notes)
    assert told.startswith("x transposed: ")
    asking = SOFTMAX_KERNEL.replace("    x = x", "    if x.stride(-1) != 1:\n        x = x")
    verdict = of_texts(SOFTMAX, asking, require="kernel", **FEW)
    assert verdict.verdict in ("identical", "equivalent") and not verdict.layouts, verdict
    verdict = of_texts(SOFTMAX, assuming, require="layouts", **FEW)
    assert verdict.verdict == "counterexample" and "transposed" in (verdict.counterexample or "")


TANH = "import torch\n\n\ndef tanh(x: torch.Tensor):\n    return torch.tanh(x)\n"
TANH_KERNEL = (
    GELU_KERNEL.replace("gelu", "tanh")
    .replace("y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))", "a = tl.exp(2 * tl.abs(x))")
    .replace("tl.store(Y + at, y,", "tl.store(Y + at, tl.where(x < 0, -1, 1) * (1 - 2 / (a + 1)),")
)


def test_digits_that_rounding_takes_of_a_small_result_are_told_of(of_texts: OfTexts) -> None:
    verdict = of_texts(TANH, TANH_KERNEL, **FEW)
    assert verdict.verdict == "equivalent", verdict
    assert any("near 0" in note for note in verdict.notes)
    verdict = of_texts(TANH, TANH_KERNEL.replace("(1 - 2", "(1 + 4e-6 - 2"), **FEW)
    assert verdict.verdict == "counterexample", verdict


QUANTIZED = """\
import torch


def quantize(x: torch.Tensor):
    scale = x.abs().amax(dim=1).clamp(min=1e-8) / 127.0
    return torch.round(x / scale[:, None]).to(torch.int8)


def get_inputs():
    return [torch.randn(6, 50)]
"""
QUANTIZED_KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def quantize_kernel(X, Y, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(X + row * n + at, mask=at < n, other=0.0).to(tl.float32)
    x = x / (tl.maximum(tl.max(tl.abs(x), 0), 1e-8) / 127.0)
    tl.store(Y + row * n + at, tl.extra.libdevice.rint(x).to(tl.int8), mask=at < n)


def quantize(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=torch.int8, device=x.device)
    quantize_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""


def test_ties_are_drawn_for_what_rounds_once_it_is_scaled(of_texts: OfTexts) -> None:
    half = QUANTIZED_KERNEL.replace("tl.extra.libdevice.rint(x)", "tl.floor(x + 0.5)")
    verdict = of_texts(QUANTIZED, half, **FEW)
    assert verdict.verdict == "counterexample" and "up to 127" in str(verdict.counterexample)


@pytest.mark.thorough(instead="test_ties_are_drawn_for_what_rounds_once_it_is_scaled")
def test_what_rounds_ties_like_the_reference_is_accepted(of_texts: OfTexts) -> None:
    for kernel in (
        QUANTIZED_KERNEL,
        QUANTIZED_KERNEL.replace("x = x / (", "x = x * (127.0 / ").replace(" / 127.0)", ")"),
    ):
        verdict = of_texts(QUANTIZED, kernel, **FEW)
        assert verdict.verdict in ("identical", "equivalent"), verdict


_SCALED = """\
import torch


class Model(torch.nn.Module):
    def forward(self, x, scale=1.0, dtype=torch.float32, power=1):
        return scale * x**power


def get_inputs():
    return [torch.rand(5, 16)]
"""
_SCALED_KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, scale, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(Y + at, scale * tl.load(X + at, mask=at < n), mask=at < n)


class ModelNew(torch.nn.Module):
    def forward(self, x, scale=1.0, power=1):
        y = torch.empty_like(x)
        kernel[(1,)](x, y, x.numel(), scale, BLOCK=triton.next_power_of_2(x.numel() + 1))
        return y
"""


def test_what_has_a_default_is_varied_or_named(of_texts: OfTexts) -> None:
    verdict = of_texts(_SCALED, _SCALED_KERNEL, **FEW)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert "scale: 1.0|0.5" in verdict.args
    assert any("only defaults were tried: dtype, power" in note for note in verdict.notes)
    verdict = of_texts(_SCALED, _SCALED_KERNEL.replace(" scale *", ""), **FEW)
    assert verdict.verdict == "counterexample" and "scale = 0.5" in str(verdict.counterexample)


_SHIFTED = """\
import torch


# tritonopt: x: f32[n]
def shifted(x, by=1.0):
    return x + by
"""
_SHIFTED_KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + at, tl.load(X + at, mask=at < n) + 1.0, mask=at < n)


def shifted(x, by=1.0):
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""


def test_what_a_comment_leaves_out_is_varied(of_texts: OfTexts) -> None:
    verdict = of_texts(_SHIFTED, _SHIFTED_KERNEL, **FEW)
    assert verdict.verdict == "counterexample" and "by = 0.5" in str(verdict.counterexample)


def test_a_size_that_the_reference_fixes_decides_nothing(of_texts: OfTexts) -> None:
    asked = NORM_KERNEL.replace("m, n = x.shape", "m, n = x.shape[0], x.shape[-1]")
    verdict = of_texts(NORM, asked, **FEW)
    assert verdict.verdict == "equivalent" and "f32[m, 96]" in verdict.args, verdict


def test_no_values_are_below_what_stands_for_infinity(of_texts: OfTexts) -> None:
    kernel = SOFTMAX_KERNEL.replace('-float("inf")', "-1e30")
    verdict = of_texts(SOFTMAX, kernel, **FEW)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert any("beyond 1e+30 were not tried" in note for note in verdict.notes)
    verdict = of_texts(SOFTMAX, SOFTMAX_KERNEL.replace('-float("inf")', "-1e9"), **FEW)
    assert verdict.verdict == "counterexample", verdict


_WEIGHTED = """\
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x.flatten() * y.sum()


def get_inputs():
    return [torch.rand(5, 7), torch.rand(5, 7)]
"""
_WEIGHTED_KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, OUT, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < n, other=0.0)
    y = tl.load(Y + at, mask=at < n, other=0.0)
    tl.store(OUT + at, x * tl.sum(y, 0), mask=at < n)


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        n = x.numel()
        out = torch.empty((n,), device=x.device, dtype=x.dtype)
        kernel[(1,)](x, y, out, n, BLOCK=triton.next_power_of_2(max(n, 1)))
        return out
"""


def test_sizes_that_are_given_as_equal_may_stay_so(of_texts: OfTexts) -> None:
    verdict = of_texts(_WEIGHTED, _WEIGHTED_KERNEL, **FEW)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert any("gives as equal" in n for n in verdict.notes)
    unmasked = _WEIGHTED_KERNEL.replace(
        "tl.load(Y + at, mask=at < n, other=0.0)", "tl.load(Y + at)"
    )
    verdict = of_texts(_WEIGHTED, unmasked, **FEW)
    assert verdict.verdict == "counterexample", verdict


_EXP = """\
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.exp(x)


def get_inputs():
    return [torch.rand(5, 16)]
"""
_EXP_KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, n)
    tl.store(Y + at, tl.exp(tl.load(X + at)))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel[(x.shape[0],)](x, y, n=x.shape[1])
        return y
"""


def test_a_size_that_triton_refuses_is_left_as_it_is_given(of_texts: OfTexts) -> None:
    verdict = of_texts(_EXP, _EXP_KERNEL, **FEW)
    assert verdict.verdict != "counterexample" and "f32[m, 16]" in verdict.args, verdict


@pytest.mark.thorough
def test_without_the_requirement_a_cheat_is_only_named(of_texts: OfTexts) -> None:
    verdict = of_texts(SOFTMAX, CHEATS["kernel-unused"], **FEW)
    assert verdict.verdict in ("identical", "equivalent")
    assert "kernel-unused" in {cheat.name for cheat in verdict.cheats}


def test_a_candidate_that_cannot_be_called_is_at_fault(of_texts: OfTexts) -> None:
    wrong = SOFTMAX_KERNEL.replace("def softmax(x: torch.Tensor)", "def softmax(x, y, z)")
    for candidate, words in ((wrong, "the reference (x)"), ("def f(:\n", "invalid syntax")):
        verdict = of_texts(SOFTMAX, candidate)
        assert verdict.verdict == "counterexample" and verdict.fault == "candidate"
        assert words in (verdict.counterexample or "")
    verdict = of_texts(NORM, NORM_KERNEL.replace("ModelNew", "Other"))
    assert "no class `ModelNew`" in (verdict.counterexample or "")


_COLUMN = """\
import torch


def add(x: torch.Tensor, shift: torch.Tensor):
    \"\"\"x: (m, n), shift: (m, 1)\"\"\"
    return x + shift
"""
_COLUMN_LAUNCHER = """\
import torch
import triton


def add(x, shift):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, shift, y, n, x.stride(0), shift.stride(0))
    return y
"""


def test_the_shapes_that_a_reference_documents_come_before_what_a_candidate_shows() -> None:
    """Torch adds a row of n as well, which the candidate's code does not tell apart."""
    old, new = source.read(_COLUMN, "ref.py"), source.read(_COLUMN_LAUNCHER, "new.py")
    (task,) = subject_of(old, new, launcher=None, args=None).tasks
    assert isinstance(task.arguments, InferredSignature)
    tables, first = tables_of(task.arguments, ())
    shapes = [choice.candidates[0].shape for choice in tables[0]]  # type: ignore[union-attr]
    assert 0 in first and shapes == [("m", "n"), ("m", 1)]
