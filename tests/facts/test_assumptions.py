"""What a user may assert, and what follows from it."""

from __future__ import annotations

import pytest

from tritonopt.facts import Polynomial, parse_assumption
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.assumptions import AssumptionError, Assumptions

N, M, B = (Polynomial.of(Param(name)) for name in ("N", "M", "B"))


def given(*texts: str, parameters: str = "X Y N M B") -> Assumptions:
    return Assumptions([parse_assumption(t) for t in texts], frozenset(parameters.split()))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("N <= B", {"N", "B"}),
        ("N % B == 0", {"N", "B"}),
        ("disjoint(X, Y)", {"X", "Y"}),
        ("N == 4", {"N"}),
        ("  N > 0  ", {"N"}),
        ("(N + 2*M) % (B * 2) == 0", {"N", "M", "B"}),
        ("-N < 3", {"N"}),
        ("0 <= 0", set()),
    ],
)
def test_what_can_be_asserted(text: str, names: set[str]) -> None:
    assumption = parse_assumption(text)
    assert assumption.names == names
    assert assumption.text == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("N <", "not a Python expression"),
        ("", "not a Python expression"),
        ("N\0", "not a Python expression"),
        ("N = 3", "not a Python expression"),
        ("N", "not a fact that can be used"),
        ("N < M < B", "not a fact that can be used"),
        ("aligned(X)", "not a fact that can be used"),
        ("disjoint(X)", "not a fact that can be used"),
        ("disjoint(X, 3)", "not a fact that can be used"),
        ("N < 4 and M < 4", "not a fact that can be used"),
        ("N != 0", "cannot be used"),
        ("N % B == 1", "only a remainder of 0"),
        ("N / 2 < 3", "cannot be used"),
        ("N < 1.5", "cannot be used"),
        ("N < 'a'", "cannot be used"),
        ("N < x.y", "cannot be used"),
        ("N ** 2 < 4", "cannot be used"),
        ("disjoint(X, X)", "not disjoint from itself"),
        ("N % 0 == 0", "is false"),
        ("7 % 2 == 0", "is false"),
        ("3 < 3", "is false"),
        ("N < N", "is false"),
        ("N + 1 <= N", "is false"),
        ("4 == 5", "is false"),
    ],
)
def test_what_cannot(text: str, says: str) -> None:
    with pytest.raises(AssumptionError, match=says):
        parse_assumption(text)


@pytest.mark.parametrize(
    ("text", "form", "follows"),
    [
        ("N <= B", B - N, True),
        ("N <= B", B - N + 3, True),
        ("N <= B", B - N - 1, False),
        ("N < B", B - N - 1, True),
        ("B >= N", B - N, True),
        ("B > N", B - N - 1, True),
        ("N == B", B - N, True),
        ("N == B", N - B, True),
        ("N <= B", N - B, False),
        ("N <= M", B - N, False),
        ("N > 0", N, True),
        ("N > 0", N - 2, False),
        ("2 * N <= B", B - N, False),
    ],
)
def test_what_is_not_negative(text: str, form: Polynomial, follows: bool) -> None:
    assert (given(text).nonnegative(form) is not None) == follows


def test_multiples() -> None:
    assert given("N % B == 0").multiple(N, B) is not None
    assert given("N % B == 0").multiple(B, N) is None
    assert given("N % B == 0").multiple(N + B, B) is None
    assert given("N % 16 == 0").multiple(N, Polynomial.constant(16)) is not None


def test_disjoint_buffers() -> None:
    assumptions = given("disjoint(X, Y)")
    assert assumptions.disjoint("X", "Y") is not None
    assert assumptions.disjoint("Y", "X") is not None
    assert assumptions.disjoint("X", "N") is None


def test_a_kernel_without_the_names_has_not_the_fact() -> None:
    assert given("N <= B", parameters="N M").nonnegative(B - N) is None
    assert given("disjoint(X, Y)", parameters="X").disjoint("X", "Y") is None
    assert not parse_assumption("N <= B").applies_to(frozenset({"N"}))
    assert parse_assumption("N <= B").applies_to(frozenset({"N", "B", "M"}))
