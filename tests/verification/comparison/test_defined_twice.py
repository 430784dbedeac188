"""A helper that two branches of an `if` define, or that is defined again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import number
from tritonopt.verification import Verdict

_HELPERS = """
import torch
import triton
import triton.language as tl

if hasattr(tl, "program_id"):

    @triton.jit
    def shifted(x):
        return x + 3.0

else:

    @triton.jit
    def shifted(x):
        return 3.0 + x

"""
_AGAIN = """
import torch
import triton
import triton.language as tl


@triton.jit
def shifted(x):
    return x


@triton.jit
def shifted(x):
    return x + 3.0

"""
_KERNEL = """
@triton.jit
def shift(X, Y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + at, shifted(tl.load(X + at, mask=at < n)), mask=at < n)


# tritonopt: x: f32[n]
def called(x):
    y = torch.empty_like(x)
    shift[(triton.cdiv(x.numel(), 16),)](x, y, x.numel(), BLOCK=16)
    return y
"""


@pytest.mark.parametrize("helpers", [_HELPERS, _AGAIN], ids=["branches", "again"])
def test_the_one_that_counts_is_compared(of_texts: Callable[..., Verdict], helpers: str) -> None:
    original = helpers + _KERNEL
    answers = (("x + 3.5", "counterexample"), ("x - -3.0", "identical"))
    for new, expected in answers[: number(1, 2)]:
        rewritten = original.replace("x + 3.0", new)
        verdict = of_texts(original, rewritten, backend="interpreter", max_examples=2)
        assert verdict.verdict == expected, verdict


def test_the_other_one_never_ran(of_texts: Callable[..., Verdict]) -> None:
    original = _HELPERS + _KERNEL
    rewritten = original.replace("3.0 + x", "4.0 + x")
    verdict = of_texts(original, rewritten, backend="interpreter", max_examples=2)
    assert verdict.verdict == "unsupported", verdict
