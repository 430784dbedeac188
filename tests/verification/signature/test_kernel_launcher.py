"""A kernel without a launcher: the launcher that is written for it, and mistakes."""

from __future__ import annotations

import pytest

from tritonopt import source
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.kernel_launcher import with_launcher, write_launcher

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, y_ptr, n, stride, factor, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n)
    tl.store(y_ptr + row * stride + cols, x * factor, mask=cols < n)
"""
ARGS = "x_ptr: f32[m, n], y_ptr: f32[m, n], stride: x_ptr.stride(0), factor: 2.0, BLOCK: 16|64"
GRID = "cdiv(n, BLOCK), m"


def test_the_launcher_that_is_written() -> None:
    module = source.read(KERNEL, "kernel.py")
    call = write_launcher(module, "scale", GRID, ARGS)
    assert call.text == (
        "def launch_scale(x_ptr, y_ptr, factor, BLOCK):\n"
        "    from triton import cdiv, next_power_of_2\n"
        "    m = x_ptr.shape[0]\n"
        "    n = x_ptr.shape[1]\n"
        "    scale[(cdiv(n, BLOCK), m,)](x_ptr=x_ptr, y_ptr=y_ptr, n=n, "
        "stride=x_ptr.stride(0), factor=factor, BLOCK=BLOCK)\n"
    )
    (launch,) = with_launcher(module, call).launches
    assert launch.kernel.name == "scale"
    assert [a.name for a in call.signature.arguments] == ["x_ptr", "y_ptr", "factor", "BLOCK"]


def test_what_the_autotuner_chooses_comes_from_it() -> None:
    text = KERNEL.replace("@triton.jit", "@triton.autotune(configs=[], key=[])\n@triton.jit")
    args = ARGS.replace(", BLOCK: 16|64", "")
    call = write_launcher(source.read(text, "kernel.py"), "scale", GRID, args)
    assert "scale[lambda meta: (cdiv(n, meta['BLOCK']), m,)]" in call.text


MISTAKES = {
    ("scal", GRID, ARGS): "has no kernel `scal`. Did you mean `--kernel scale`",
    ("scale", None, ARGS): "--kernel scale needs --grid. Write for example",
    ("scale", GRID, ""): "--args 'x_ptr: f32[n], y_ptr: f32[n], n: n, stride: n, factor: n",
    ("scale", "cdiv(n, BLOK)", ARGS): "--grid, column 9: `BLOK` is neither a size nor",
    ("scale", "n, n, n, n", ARGS): "one to three sizes",
    ("scale", "n.bits()", ARGS): "--grid, column 1: `n.bits` has no place",
    ("scale", GRID, ARGS + ", k: 3"): "column 89: `scale` has no parameter `k`",
    ("scale", GRID, ARGS.replace("factor: 2.0, ", "")): "`scale` also needs factor",
    ("scale", GRID, ARGS.replace("x_ptr.s", "z_ptr.s")): "column 45: `z_ptr` is neither a size",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_pointed_at(mistake: tuple[str, str | None, str]) -> None:
    with pytest.raises(VerificationError) as raised:
        write_launcher(source.read(KERNEL, "kernel.py"), *mistake)
    assert MISTAKES[mistake] in str(raised.value)
