"""What is added up in a narrow type shows where much is added up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import few
from tritonopt.verification import Verdict

RUNNING = """
import torch
import triton
import triton.language as tl


@triton.jit
def running_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
        tl.store(y + row * n + cols, carry + tl.cumsum(v, axis=0), mask=cols < n)
        carry += tl.sum(v, axis=0)


def running(x: torch.Tensor):
    assert x.is_contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    running_kernel[(m,)](x, y, n, BLOCK=16)
    return y
"""
NARROW = "carry = (carry + tl.sum(v, axis=0)).to(x.dtype.element_ty).to(tl.float32)"
ANSWERS = {
    "the sum of all tiles": (NARROW, "counterexample"),
    "in another order": ("carry += tl.sum(tl.flip(v, 0), axis=0)", "identical"),
}


@pytest.mark.parametrize("name", few(ANSWERS, 0))
def test_carries(name: str, of_texts: Callable[..., Verdict]) -> None:
    new, expected = ANSWERS[name]
    verdict = of_texts(RUNNING, RUNNING.replace("carry += tl.sum(v, axis=0)", new))
    assert verdict.verdict == expected, verdict


COUNT = """
import torch


# tritonopt: x: i64[n] in 0..3
def count(x: torch.Tensor):
    return torch.bincount(x, minlength=4)
"""
COUNTED = """
import torch
import triton
import triton.language as tl


@triton.jit
def count_kernel(x, y, n, BLOCK: tl.constexpr):
    bin = tl.program_id(0)
    acc = tl.zeros([BLOCK], tl.int8)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        acc += (tl.load(x + at, mask=at < n, other=-1) == bin).to(tl.int8)
    tl.store(y + bin, tl.sum(acc.to(tl.int64), 0))


def count(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty((4,), dtype=torch.int64, device=x.device)
    count_kernel[(4,)](x, y, x.shape[0], BLOCK=8)
    return y
"""


@pytest.mark.thorough(instead="test_carries")
def test_a_count_of_eight_bits_wraps(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(COUNT, COUNTED, max_examples=1)
    assert verdict.verdict == "counterexample", verdict
    assert "the outputs differ" in (verdict.counterexample or "")
