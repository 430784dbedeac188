"""Launchers that return early: no kernel runs then, but what is returned is compared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import everything, few
from tritonopt.verification import Verdict

EMPTY = """
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)

def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    if x.numel() == 0:
        return y
    double[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""


@pytest.mark.parametrize("args", few([None, "x: f32[n]", "x: f32[m, n]"], 1))
def test_an_early_return_has_run(args: str | None, of_texts: Callable[..., Verdict]) -> None:
    changed = EMPTY.replace("torch.empty_like(x)", "torch.zeros_like(x)")
    verdict = of_texts(EMPTY, changed, args=args)
    assert verdict.verdict == "identical", verdict.reason


def test_an_early_return_that_is_new(of_texts: Callable[..., Verdict]) -> None:
    """The original launches no program then."""
    plain = EMPTY.replace("    if x.numel() == 0:\n        return y\n", "")
    if everything():
        assert of_texts(plain, EMPTY).verdict == "identical"
    wrong = EMPTY.replace("        return y\n", "        return y.to(torch.float16)\n")
    assert of_texts(plain, wrong).verdict == "counterexample"


def test_an_early_return_that_differs(of_texts: Callable[..., Verdict]) -> None:
    changed = EMPTY.replace("        return y\n", "        return y.to(torch.float16)\n")
    verdict = of_texts(EMPTY, changed, args="x: f32[n]")
    assert verdict.verdict == "counterexample", verdict.reason


def test_what_stands_beside_an_early_return_has_to_run(of_texts: Callable[..., Verdict]) -> None:
    """A call that launches nothing shows of no other line what it does."""
    guarded = EMPTY.replace(
        "    double[", "    if x.numel() > 1e9:\n        y = torch.empty_like(x)\n    double["
    )
    changed = guarded.replace("        y = torch.empty_like(x)", "        y = x.clone()")
    verdict = of_texts(guarded, changed, args="x: f32[n]")
    assert verdict.verdict == "unsupported", verdict.verdict
