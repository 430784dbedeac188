"""Polynomials obey the laws of a ring, and say what they are."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonopt.facts.algebra.atoms import (
    BoundLane,
    CeilDiv,
    Compared,
    FloorDiv,
    Global,
    Lane,
    Loaded,
    Math,
    Mod,
    Negative,
    Param,
    Total,
    Truth,
    Zero,
)
from tritonopt.facts.algebra.polynomial import (
    MAX_TERMS,
    ONE,
    ZERO,
    Atom,
    Polynomial,
    TooLarge,
    monomial_polynomial,
)

N, M, ROW = (Polynomial.of(Param(name)) for name in ("N", "M", "row"))
SMALLER = Polynomial.of(Negative(N))
LARGER = Polynomial.of(Negative(M))

atoms = st.sampled_from([N, M, ROW, SMALLER, LARGER])
numbers = st.fractions(-3, 3, max_denominator=3).map(Polynomial.constant)


@st.composite
def polynomials(draw: st.DrawFn) -> Polynomial:
    result = draw(numbers)
    for _ in range(draw(st.integers(0, 3))):
        term = draw(numbers)
        for factor in draw(st.lists(atoms, max_size=3)):
            term = term * factor
        result = result + term
    return result


@given(polynomials(), polynomials(), polynomials())
def test_the_laws_of_a_commutative_ring(a: Polynomial, b: Polynomial, c: Polynomial) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + ZERO == a
    assert a * ONE == a
    assert (a * ZERO).is_zero
    assert (a - a).is_zero


@given(polynomials(), polynomials())
def test_equal_polynomials_have_equal_keys_and_hashes(a: Polynomial, b: Polynomial) -> None:
    again = (a + b) - b
    assert again == a
    assert again.key == a.key
    assert hash(again) == hash(a)
    assert (a == b) == (a.key == b.key)


@given(polynomials())
def test_a_power_is_a_product(a: Polynomial) -> None:
    assert a.power(0) == ONE
    assert a.power(1) == a
    assert a.power(3) == a * a * a


def test_indicators_are_idempotent() -> None:
    assert SMALLER * SMALLER == SMALLER
    assert SMALLER.power(3) == SMALLER
    # where(m, a, b) twice over is where(m, a, b)
    chosen = SMALLER * N + (ONE - SMALLER) * M
    assert SMALLER * chosen + (ONE - SMALLER) * chosen == chosen
    assert (SMALLER * (ONE - SMALLER)).is_zero


@given(polynomials(), polynomials())
def test_an_exact_quotient_multiplies_back(a: Polynomial, b: Polynomial) -> None:
    quotient = (a * b).divided_by(b)
    if quotient is not None:
        assert quotient * b == a * b


def test_quotients_of_one_term() -> None:
    assert (N * ROW * 6).divided_by(N * 2) == ROW * 3
    assert (N * ROW + N).divided_by(ROW + 1) == N
    assert N.divided_by(ZERO) is None
    assert ZERO.divided_by(N) is None
    assert (N + 1).divided_by(M + 1) is None


def test_an_inverse_cancels() -> None:
    assert N * N.inverse() == ONE
    assert (N * 4).inverse() == N.inverse() * Fraction(1, 4)
    assert (N + M).inverse() * (N + M) != ONE, "no claim is made of the inverse of a sum"
    assert (N + M).inverse() == (M + N).inverse()


def test_an_indicator_has_no_inverse() -> None:
    # 1 / m is not m, and m / m is not m.
    assert SMALLER.inverse() != SMALLER
    assert SMALLER * SMALLER.inverse() not in (SMALLER, ONE)


def test_map_changes_atoms_at_every_depth() -> None:
    name = Param("N")
    inner = Polynomial.of(Negative(N + M))
    pair = Polynomial.of(Total((BoundLane(N, 0), 1), N))
    mapped = (N * inner + pair).map(lambda a: Param("M") if a == name else None)
    expected = M * Polynomial.of(Negative(M + M)) + Polynomial.of(Total((BoundLane(M, 0), 1), M))
    assert mapped == expected


def test_map_merges_what_becomes_equal() -> None:
    assert (N - M).map(lambda a: Param("N")).is_zero


def test_leaves_reach_into_arguments() -> None:
    deep = Polynomial.of(CeilDiv(N + 1, Polynomial.of(Loaded("X", ROW, (3,)))))
    assert {leaf.key for leaf in deep.leaves()} >= {"param('N')", "param('row')"}


def test_what_a_polynomial_is() -> None:
    assert Polynomial.constant(3).constant_value == 3
    assert ZERO.constant_value == 0
    assert N.constant_value is None
    assert N.sole_atom == Param("N")
    assert (N * 2).sole_atom is None
    assert (N * N).sole_atom is None
    assert monomial_polynomial([(Param("N"), 2)]) == N * N


def test_readable() -> None:
    assert (N * 2 - M + 1).readable == "2*N - M + 1"
    assert (N.inverse() * M).readable == "M/N"
    assert (N - 1).readable == "N - 1"
    assert (Polynomial.constant(1) - N).readable == "1 - N"
    assert (M * N + M * 2 + N * N).readable == "M*N + N**2 + 2*M"
    assert (N * Fraction(1, 2)).readable == "N/2"
    quotient = Polynomial.of(FloorDiv(M + 3, N, "runtime"))
    assert quotient.readable == "(M + 3)//N"
    assert (quotient * N + 1).readable in ("((M + 3)//N)*N + 1", "N*((M + 3)//N) + 1")
    assert (Polynomial.of(Mod(M, N * 2, "runtime"))).readable == "M % (2*N)"


def test_conditions_are_readable() -> None:
    lane = Polynomial.of(Lane(N, 0))

    def below(form: Polynomial) -> Polynomial:
        return Polynomial.of(Negative(form))

    assert below(lane - M).readable == "(arange(0, N) < M)"
    assert below(lane - M - 1).readable == "(arange(0, N) <= M)"
    assert below(M - lane).readable == "(arange(0, N) > M)"
    assert below(M - 1).readable == "(M <= 0)"
    assert Polynomial.of(Zero(M - N)).readable == "(M == N)"
    both = below(lane - M) * Polynomial.of(Zero(M - N))
    assert both.readable == "(arange(0, N) < M) & (M == N)"
    assert ZERO.readable == "0"
    assert (-N).readable == "-N"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Math("1", ()), Math("", (1,))),
        (Math("a", ("x", "y")), Math("a", ("x, y",))),
        (Math("a", (("x", "y"),)), Math("a", ("x", "y"))),
        (Param("x"), Global("x")),
        (Truth(N), Compared("true", N, N)),
    ],
)
def test_different_atoms_are_different(one: Atom, other: Atom) -> None:
    assert one != other


def test_too_many_terms_are_refused() -> None:
    many = ZERO
    with pytest.raises(TooLarge):
        for i in range(MAX_TERMS + 1):
            many = many + Polynomial.of(Param(f"p{i}"))


def test_doubling_is_refused_before_it_hurts() -> None:
    form = N
    with pytest.raises(TooLarge):
        for _ in range(60):
            form = Polynomial.of(Math("exp", (form, form + 1)))
