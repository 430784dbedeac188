"""How many elements a sweep touches: the number that a mean divides by."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.facts.support import body, loads
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.counting import Count, Lanes, NotCounted, count_elements
from tritonopt.facts.algebra.polynomial import Monomial


def count(statements: str, assume: Sequence[str] = ()) -> Count:
    """Of the first load of X, over all loops and lanes around it."""
    facts = body(statements, "X, Y, N, M, stride, B: tl.constexpr, R: tl.constexpr", assume=assume)
    return counted(facts)


def counted(facts: KernelFacts) -> Count:
    load = next(e for e in loads(facts) if facts.bases(e) == {"X"})
    assert load.loaded is not None and load.loaded.shape is not None
    indicators: Monomial = ()
    if load.mask is not None:
        terms = facts.forms.condition(load.mask).terms
        if len(terms) != 1:
            raise NotCounted("the mask does not have the form index < limit")
        ((indicators, _),) = terms.items()
    shape = load.loaded.shape
    lanes = [Lanes(len(shape) - 1 - i, facts.forms.of(d)) for i, d in enumerate(shape)]
    return count_elements(facts, [a for a, _ in indicators], load.loops, lanes)


LANES = "cols = tl.arange(0, B)\n"
SWEEP = "for i in range(0, N, B):\n    a = tl.load(X + i + cols{mask})"


@pytest.mark.parametrize(
    "mask", ["i + cols < N", "N > cols + i", "i + cols <= N - 1", "~(i + cols >= N)"]
)
def test_a_masked_sweep(mask: str) -> None:
    found = count(LANES + SWEEP.format(mask=f", mask={mask}"))
    assert found.total.readable == "N"
    assert found.assumed == ()
    (stream,) = found.streams
    assert stream.masked and stream.loop is not None and stream.lanes is not None


def test_a_sweep_by_tiles() -> None:
    text = (
        "for i in range(tl.cdiv(N, B)):\n    a = tl.load(X + i * B + cols, mask=i * B + cols < N)"
    )
    assert count(LANES + text).total.readable == "N"


def test_a_sweep_that_starts_elsewhere() -> None:
    text = "for i in range(M, N, B):\n    a = tl.load(X + i + cols, mask=i + cols < N)"
    assert count(LANES + text).total.readable == "N - M"


def test_a_sweep_without_a_mask_touches_whole_tiles() -> None:
    found = count(LANES + SWEEP.format(mask=""))
    assert found.total.readable == "cdiv(N, B)*B" or found.total.readable == "B*cdiv(N, B)"
    assert found.assumed == ()


def test_whole_tiles_by_assumption() -> None:
    found = count(LANES + SWEEP.format(mask=""), ["N % B == 0"])
    assert found.total.readable == "N"
    assert [a.text for a in found.assumed] == ["N % B == 0"]
    assert count(LANES + SWEEP.format(mask=""), ["N % M == 0"]).assumed == ()


def test_one_tile_must_hold_the_row() -> None:
    tile = LANES + "a = tl.load(X + cols, mask=cols < N)"
    with pytest.raises(NotCounted, match="one tile of B may not hold all N"):
        count(tile + "\nb = tl.load(Y + N * 2)")
    found = count(tile + "\nb = tl.load(Y + N * 2)", ["N <= B"])
    assert found.total.readable == "N"
    assert [a.text for a in found.assumed] == ["N <= B"]


def test_one_tile_of_a_known_size() -> None:
    assert count("cols = tl.arange(0, 16)\na = tl.load(X + cols, mask=cols < 9)").total == (
        Polynomial.constant(9)
    )
    with pytest.raises(NotCounted, match="may not hold"):
        count("cols = tl.arange(0, 16)\na = tl.load(X + cols, mask=cols < 17)")


def test_separate_dimensions_multiply() -> None:
    found = count(
        """
        rows = tl.arange(0, R)[:, None]
        cols = tl.arange(0, B)[None, :]
        for j in range(M):
            for i in range(0, N, B):
                m = (rows < R) & (i + cols < N)
                a = tl.load(X + rows * stride + i + cols, mask=i + cols < N)
        """
    )
    assert sorted(s.extent.readable for s in found.streams) == ["M", "N", "R"]


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        # Gaps, or lanes seen twice.
        (SWEEP.format(mask=", mask=i + cols * 2 < N"), "does not increase by one"),
        (SWEEP.format(mask=", mask=2 * i + cols < N"), "does not increase by one"),
        (SWEEP.format(mask=", mask=cols < N"), "may not hold"),
        (SWEEP.format(mask=", mask=i < N"), "does not increase by one|may not"),
        (SWEEP.format(mask=", mask=i + cols > N"), "not have the form|does not increase|may not"),
        # The loop ends before the mask does, or after.
        (SWEEP.format(mask=", mask=i + cols < M"), "integer|may not end"),
        (SWEEP.format(mask=", mask=i + cols < N + 1"), "may not end"),
        (
            "for i in range(0, N, 2 * B):\n    a = tl.load(X + cols, mask=i + cols < N)",
            "increase by one",
        ),
        # The mask does not say how far.
        (SWEEP.format(mask=", mask=i + cols != N"), "not have the form"),
        (SWEEP.format(mask=", mask=tl.load(Y + cols) > 0"), "not have the form"),
        (SWEEP.format(mask=", mask=N > 3"), "depend on exactly one loop|not have the form"),
        (
            SWEEP.format(mask=", mask=(i + cols < N) & (cols < N)"),
            "depend on exactly one loop|may not",
        ),
        ("while M > 0:\n    a = tl.load(X + cols)", "iterations of the loop"),
        ("for i in range(N):\n    if i > M:\n        break\n    a = tl.load(X)", "iterations"),
        # The inner range is not the same in each iteration.
        ("for i in range(N):\n    for j in range(i):\n        a = tl.load(X + j)", "everywhere"),
        (
            "for i in range(N):\n    for j in range(0, i, B):\n"
            "        a = tl.load(X + j + cols, mask=j + cols < i)",
            "depend on exactly one loop|everywhere",
        ),
    ],
)
def test_what_cannot_be_counted(statements: str, why: str) -> None:
    with pytest.raises(NotCounted, match=why):
        count(LANES + statements)


def test_a_limit_that_may_be_no_integer() -> None:
    with pytest.raises(NotCounted, match="it is not proved that M is an integer"):
        count("cols = tl.arange(0, 16)\na = tl.load(X + cols, mask=cols < M)", ["M <= 16"])
