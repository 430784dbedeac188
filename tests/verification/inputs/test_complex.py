"""Complex numbers are drawn where a launcher asks for them."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt.verification import Verdict

TEXT = """
import torch
import triton
import triton.language as tl


@triton.jit
def size_kernel(parts, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    real = tl.load(parts + 2 * at, mask=at < n)
    imaginary = tl.load(parts + 2 * at + 1, mask=at < n)
    tl.store(out + at, tl.sqrt(real * real + imaginary * imaginary), mask=at < n)


@triton.jit
def abs_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.abs(tl.load(x + at, mask=at < n)), mask=at < n)


def size(x):
    x = x.contiguous()
    n = x.numel()
    if x.is_complex():
        out = torch.empty(x.shape, device=x.device)
        size_kernel[(triton.cdiv(n, 16),)](torch.view_as_real(x), out, n, BLOCK=16)
        return out
    out = torch.empty_like(x)
    abs_kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out
"""


def test_the_branch_for_complex_numbers_runs(of_texts: Callable[..., Verdict]) -> None:
    right = TEXT.replace("imaginary * imaginary)", "imaginary * imaginary + 0.0)")
    verdict = of_texts(TEXT, right, max_examples=4)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert any("|c64[" in note for note in verdict.notes)


def test_a_mistake_in_the_imaginary_part_is_found(of_texts: Callable[..., Verdict]) -> None:
    wrong = TEXT.replace("2 * at + 1, mask", "2 * at, mask")
    verdict = of_texts(TEXT, wrong, max_examples=4)
    assert verdict.verdict == "counterexample", verdict
    assert "x = c64[" in str(verdict.counterexample)
