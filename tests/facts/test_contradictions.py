"""Assumptions that the launches of a kernel show to be false."""

from __future__ import annotations

import pytest

from tritonopt import facts, source

FILE = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, n, stride, BLOCK: tl.constexpr):
    tl.store(X + tl.arange(0, BLOCK), n)


def launch(x, n):
    kernel[(1,)](x, n, 48, BLOCK=64)
    kernel[(2,)](x, 2 * n, 48, BLOCK={second})
"""


def take(fact: str, second: str = "64") -> None:
    kernel = source.read(FILE.format(second=second)).kernels[0]
    facts.of(kernel, [facts.parse_assumption(fact)])


@pytest.mark.parametrize(
    "fact", ["BLOCK <= 32", "BLOCK % 48 == 0", "stride == BLOCK", "stride > 48"]
)
def test_refuted(fact: str) -> None:
    with pytest.raises(facts.AssumptionError, match="its launches pass"):
        take(fact)


@pytest.mark.parametrize(
    "fact", ["BLOCK <= 64", "BLOCK % 32 == 0", "n % BLOCK == 0", "n <= stride"]
)
def test_not_refuted(fact: str) -> None:
    take(fact)


def test_launches_that_differ_refute_nothing() -> None:
    take("BLOCK <= 32", second="32")
    take("BLOCK <= 32", second="n")


SHARED = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, BLOCK: tl.constexpr):
    tl.store(Y + tl.arange(0, BLOCK), tl.load(X + tl.arange(0, BLOCK)))


def launch(x, y, n):
    kernel[(1,)](x, y, BLOCK=64)
    {launch}
"""


@pytest.mark.parametrize(
    "launch",
    [
        "kernel[(2,)](x, x, BLOCK=64)",
        "kernel[(2,)](Y=x, X=x, BLOCK=64)",
        "kernel[(2,)](x[1:], x[:-1], BLOCK=64)",
        "kernel[(2,)](x, x[1:], BLOCK=64)",
        "z = x[2:]; kernel[(2,)](z, x, BLOCK=64)",
    ],
)
def test_buffers_that_a_launch_shares_are_not_disjoint(launch: str) -> None:
    kernel = source.read(SHARED.format(launch=launch)).kernels[0]
    with pytest.raises(facts.AssumptionError, match="the launch in line 12 passes parts of one"):
        facts.of(kernel, [facts.parse_assumption("disjoint(X, Y)")])


@pytest.mark.parametrize(
    "launch",
    [
        "kernel[(2,)](x, x.clone(), BLOCK=64)",
        "kernel[(2,)](x, x := y, BLOCK=64)",
        "kernel[(2,)](None, None, BLOCK=64)",
        "kernel[(2,)](x[:n], x[n:], BLOCK=64)",
        "kernel[(2,)](x[:64], x[64:], BLOCK=64)",
        "kernel[(2,)](x[0], x[1], BLOCK=64)",
        "kernel[(2,)](x[:, :8], x[:, 8:], BLOCK=64)",
        "kernel[(2,)](x[::2], x[1::2], BLOCK=64)",
    ],
)
def test_buffers_that_may_be_disjoint(launch: str) -> None:
    kernel = source.read(SHARED.format(launch=launch)).kernels[0]
    facts.of(kernel, [facts.parse_assumption("disjoint(X, Y)")])
