"""What the interpreter runs and the compiler refuses is found where it ran."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict

SUMS = """
import torch
import triton
import triton.language as tl

TWO = tl.constexpr(2)


@triton.jit
def twice(v):
    return TWO * v


@triton.jit
def sums_kernel(x, y, n, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.sum(twice(tl.load(x + at, mask=at < n, other=0.0)))
    tl.store(y, total)


# tritonopt: x: f32[n]
def sums(x: torch.Tensor):
    y = torch.empty(1)
    sums_kernel[(1,)](x, y, x.numel(), BLOCK=16)
    return y
"""
REFUSED = {
    "a number": ("TWO = tl.constexpr(2)", "TWO = 2"),
    "a function": ("@triton.jit\ndef twice", "def twice"),
    "a builtin": ("    tl.store(y, total)", "    tl.store(y, sum([total]))"),
    "a statement": (
        "    tl.store(y, total)",
        "        if start + BLOCK >= n:\n            break\n    tl.store(y, total)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_compile(name: str, of_texts: Callable[..., Verdict]) -> None:
    old, new = REFUSED[name]
    assert old in SUMS
    verdict = of_texts(SUMS, SUMS.replace(old, new), max_examples=1)
    assert verdict.verdict == "counterexample", verdict
    assert "does not compile" in str(verdict.counterexample)


def test_what_the_original_has_too_is_no_difference(of_texts: Callable[..., Verdict]) -> None:
    text = SUMS.replace("TWO = tl.constexpr(2)", "TWO = 2")
    verdict = of_texts(text, text.replace("TWO * v", "v * TWO"), max_examples=1)
    assert verdict.verdict == "identical", verdict


ROWS = """
import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(x, y, n, BLOCK: tl.constexpr):
    if n == 0:
        return
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    at = row * n + cols
    tl.store(y + at, tl.load(x + at, mask=cols < n) + 1.0, mask=cols < n)


# tritonopt: x: f32[m, n]
def rows(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    rows_kernel[(m,)](x, y, n, BLOCK=block)
    return y
"""


def test_a_range_of_nothing_is_compiled_where_no_program_comes_to_it(
    of_texts: Callable[..., Verdict],
) -> None:
    """A launch with tiles of no elements fails, also with an empty grid, or after a return."""
    new = ROWS.replace("    rows_kernel", "    assert 512 // block >= 0\n    rows_kernel")
    assert of_texts(ROWS, new).verdict == "identical"
    # A branch that the compiler leaves out has no ranges.
    head, body = ROWS.split("    row = tl.program_id(0)\n")
    lines, rest = body.split("\n\n\n", 1)
    lines = f"    row = tl.program_id(0)\n{lines}"
    left_out = "".join(f"    {line}\n" for line in lines.split("\n"))
    old = f"{head}    if BLOCK > 0:\n{left_out}\n\n{rest}"
    new = old.replace("    rows_kernel", "    assert 512 // block >= 0\n    rows_kernel")
    assert of_texts(old, new).verdict == "counterexample"
