"""What no GPU takes is no yes, although Triton's interpreter runs it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import few
from tritonopt.verification import Verdict

_ORIGINAL = """
import torch
import triton
import triton.language as tl


@triton.jit
def product(A, B, C, k, K: tl.constexpr, N: tl.constexpr):
    rows, cols, inner = tl.arange(0, 16), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((16, N), dtype=tl.float32)
    for first in range(0, k, K):
        at = first + inner
        a = tl.load(A + rows[:, None] * k + at[None, :], mask=at[None, :] < k, other=0.0)
        b = tl.load(B + at[:, None] * 16 + cols[None, :],
                    mask=(at[:, None] < k) & (cols[None, :] < 16), other=0.0)
        total += tl.dot(a, b)
    tl.store(C + rows[:, None] * 16 + cols[None, :], total, mask=cols[None, :] < 16)


# tritonopt: a: f16[16, k], b: f16[k, 16]
def multiplied(a, b):
    c = torch.empty((16, 16), dtype=torch.float32, device=a.device)
    product[(1,)](a, b, c, a.shape[1], K=16, N=16)
    return c
"""
_ADDS = "        total += tl.dot(a, b)\n"


@pytest.fixture
def asks_no_gpu() -> None:
    """It is asked here."""


def _verified(of_texts: Callable[..., Verdict], old: str, new: str) -> Verdict:
    assert old in _ORIGINAL
    return of_texts(_ORIGINAL, _ORIGINAL.replace(old, new), backend="interpreter", max_examples=2)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    few([
        ("N=16)", "N=16, num_warps=3)", "power of 2"),
        ("K=16, N=16)", "K=8, N=16)", "K >= 16"),
        ("K=16, N=16)", "K=32, N=64, num_stages=80)", "of shared memory"),
        (_ADDS, "        one = 1 if first > 16 else 1.0\n        total += tl.dot(a, b) * one\n",
         "inconsistent types"),
    ], 0, 2),
    ids=["warps", "dot", "shared-memory", "types"],
)  # fmt: skip
def test_what_no_gpu_takes(
    of_texts: Callable[..., Verdict], old: str, new: str, reason: str
) -> None:
    verdict = _verified(of_texts, old, new)
    assert verdict.verdict == "counterexample", verdict
    assert "does not compile for sm_90" in str(verdict.counterexample)
    assert reason in str(verdict.counterexample)


@pytest.mark.parametrize(
    "new",
    few(["K=32, N=16, num_warps=8, num_stages=4)", "K=16, N=32)"], 1),
)
def test_what_a_gpu_takes(of_texts: Callable[..., Verdict], new: str) -> None:
    verdict = _verified(of_texts, "K=16, N=16)", new)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert not any("sm_90" in note or "GPU takes" in note for note in verdict.notes)


def test_what_does_not_compile_before_is_said(of_texts: Callable[..., Verdict]) -> None:
    original = _ORIGINAL.replace("N=16)", "N=16, num_warps=3)")
    rewritten = original.replace("total += tl.dot(a, b)", "total = total + tl.dot(a, b)")
    verdict = of_texts(original, rewritten, backend="interpreter", max_examples=2)
    assert verdict.verdict == "identical"
    assert any("neither version compiles for sm_90" in note for note in verdict.notes)
