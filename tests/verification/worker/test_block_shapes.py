"""A block pointer to a block that the compiler refuses: no call to compare."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt.verification import Verdict

_ORIGINAL = """
import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, m, n, R: tl.constexpr, C: tl.constexpr):
    x = tl.make_block_ptr(X, (m, n), (n, 1), (tl.program_id(0) * R, 0), (R, C), (1, 0))
    y = tl.make_block_ptr(Y, (m, n), (n, 1), (tl.program_id(0) * R, 0), (R, C), (1, 0))
    tl.store(y, tl.load(x, boundary_check=(0, 1)) * 2, boundary_check=(0, 1))


# tritonopt: x: f32[m, n]
def doubled(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    double[(triton.cdiv(m, 4),)](x, y, m, n, R=4, C=triton.next_power_of_2(n))
    return y
"""
_POINTERS = """    rows = tl.program_id(0) * R + tl.arange(0, R)
    cols = tl.arange(0, C)
    at = rows[:, None] * n + cols[None, :]
    inside = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(Y + at, tl.load(X + at, mask=inside) * 2, mask=inside)
"""


def test_no_columns_are_no_counterexample(of_texts: Callable[..., Verdict]) -> None:
    start, end = _ORIGINAL.index("    x = tl.make"), _ORIGINAL.index("\n\n# tritonopt")
    rewritten = _ORIGINAL[:start] + _POINTERS + _ORIGINAL[end:]
    verdict = of_texts(_ORIGINAL, rewritten, backend="interpreter", max_examples=12)
    assert verdict.verdict == "identical", verdict
    wrong = rewritten.replace("< m) &", "< m - 1) &")
    assert of_texts(_ORIGINAL, wrong, backend="interpreter").verdict == "counterexample"
