"""What a caller can tell of a result beside its numbers: whose memory it is, and what holds it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import few
from tritonopt.verification import Verdict

HALVES = """
import torch
import triton
import triton.language as tl

EPS = 1e-5
_KEPT = {}


@triton.jit
def halve_kernel(x, y, n, eps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n).to(tl.float32)
    tl.store(y + at, v / tl.sqrt(v * v + eps), mask=at < n)


def halve(x: torch.Tensor, out: torch.Tensor = None, eps: float = EPS):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    halve_kernel[(triton.cdiv(n, 16),)](x, y, n, eps, BLOCK=16)
    if out is not None:
        out.copy_(y)
        return out, y
    return y, n
"""
FRESH = "y = torch.empty_like(x)"
WRONG = {
    "kept": (FRESH, "y = _KEPT.setdefault((x.shape, x.dtype), torch.empty_like(x))"),
    "kept by address": (FRESH, FRESH + "\n    x = _KEPT.setdefault(x.data_ptr(), x.clone())"),
    "a copy": ("return out, y", "return out.clone(), y"),
    "the input": ("return out, y", "return out, out"),
    "a list": ("return y, n", "return [y, n]"),
    "a parameter": ("return y, n", "return torch.nn.Parameter(y, requires_grad=False), n"),
    "a gradient": ("return y, n", "return y.requires_grad_(), n"),
    "a default": ("EPS = 1e-5", "EPS = 2e-5"),
}


@pytest.mark.parametrize("name", few(WRONG, 0, 1, 2, 3, 4))
def test_what_the_caller_can_tell(name: str, of_texts: Callable[..., Verdict]) -> None:
    old, new = WRONG[name]
    assert old in HALVES
    verdict = of_texts(HALVES, HALVES.replace(old, new), max_examples=1)
    assert verdict.verdict == "counterexample", verdict


def test_how_a_result_comes_about_is_not_told(of_texts: Callable[..., Verdict]) -> None:
    other = HALVES.replace(FRESH, "y = torch.empty((2, *x.shape), dtype=x.dtype)[1]")
    other = other.replace("EPS = 1e-5", "EPS = 10 ** -5")
    assert of_texts(HALVES, other, max_examples=1).verdict == "identical"
