"""Decisions: ties of exact numbers must come out the same, ties of rounded ones need not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tests.layers import few
from tritonopt.verification import Verdict
from tritonopt.verification.worker.triton_interpreter.roundings import Roundings

_ROWS = """
import torch
import triton
import triton.language as tl

@triton.jit
def decide(X, OUT, N, limit, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    {}

def launch(x: torch.Tensor, limit: float = 0.37):
    m, n = x.shape
    x = x.contiguous()
    out = torch.zeros((m, n), device=x.device)
    decide[(m,)](x, out, n, limit, BLOCK=triton.next_power_of_2(n))
    return out
"""
_STORE = "tl.store(OUT + row * N + cols, {}, mask=cols < N)"
_MEAN = "mean = tl.sum(x) / N; " + _STORE
_COUNT = "tl.store(OUT + row * N, tl.sum(tl.where(cols < N, {}, 0.0)))"

EXACT = {
    "number": (_STORE, "tl.where(x > 1, 2.0, -x)", "tl.where(x >= 1, 2.0, -x)"),
    "counted": (_COUNT, "(x > 1).to(tl.float32)", "(x >= 1).to(tl.float32)"),
    "far": (_STORE, "tl.where(x > 20.7, x, -x)", "tl.where(x >= 20.7, x, -x)"),
    "argument": (_STORE, "tl.where(x < limit, x, 9.0)", "tl.where(x <= limit, x, 9.0)"),
    "of an argument": (_STORE, "tl.where(x > 2 * limit, 5, x)", "tl.where(x >= 2 * limit, 5, x)"),
    "exactly computed": (_STORE, "tl.where(2 * x - 1 > 2, x, 9.0)", "tl.where(x > 1.49, x, 9.0)"),
    "toward zero": (_STORE, "(x * 2).to(tl.int32) * 1.0", "tl.floor(x * 2)"),
}  # fmt: skip
ROUNDED = {
    "a quotient": (_STORE, "tl.where(x / 0.3 > 5, x, 9.0)", "tl.where(x * (1 / 0.3) > 5, x, 9.0)"),
    "whole numbers": (_STORE, "tl.floor(x / 0.3)", "tl.floor(x * (1 / 0.3))"),
    "a mean": (_MEAN, "tl.where(x > mean, x, 9.0)", "tl.where(x * N > tl.sum(x), x, 9.0)"),
    "the other side": (_STORE, "tl.where(x > 1, x, -x)", "tl.where(x / 3 > 1 / 3, x, -x)"),
}


def _verdict(of_texts: Callable[..., Verdict], statement: str, old: str, new: str) -> Verdict:
    texts = (_ROWS.format(statement.format(value)) for value in (old, new))
    return of_texts(*texts, max_examples=12)


@pytest.mark.parametrize("name", few(EXACT, 3, 6))
def test_a_tie_of_exact_numbers_is_no_excuse(name: str, of_texts: Callable[..., Verdict]) -> None:
    verdict = _verdict(of_texts, *EXACT[name])
    assert verdict.verdict == "counterexample", verdict


@pytest.mark.parametrize("name", few(ROUNDED, 2))
def test_a_tie_that_rounding_makes_may_fall_either_way(
    name: str, of_texts: Callable[..., Verdict]
) -> None:
    verdict = _verdict(of_texts, *ROUNDED[name])
    assert verdict.verdict in ("identical", "equivalent"), verdict.counterexample


def test_a_number_of_16_bits_that_torch_computes_is_no_copy_of_one_like_it() -> None:
    torch.manual_seed(0)
    x, scale = torch.randn(200, 5).half(), torch.randn(5).half()
    stays = torch.ones(200, 5, dtype=torch.bool)
    for seed in range(8):
        product, moved = x * scale, x.flip(0)
        Roundings(seed).host(torch.mul, (x, scale), {}, product)
        Roundings(seed).host(torch.flip, (x,), {}, moved)
        stays &= product == x * scale
        assert torch.equal(moved, x.flip(0))
    assert not stays.any()
