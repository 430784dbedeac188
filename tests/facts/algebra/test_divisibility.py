"""Which form is shown to divide which, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.facts.support import body, form
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility, Proof


def proof(
    expression: str, divisor: str | int, assume: Sequence[str] = (), *, before: str = ""
) -> Proof | None:
    facts = kernel(expression, assume, before)
    by = Polynomial.constant(divisor) if isinstance(divisor, int) else form(facts, "divisor")
    return Divisibility(facts).proof(by, form(facts, "value"))


def kernel(expression: str, assume: Sequence[str] = (), before: str = "") -> KernelFacts:
    return body(
        f"""
        pid = tl.program_id(0)
        {before}
        lanes = tl.arange(0, B)
        divisor = B
        value = {expression}
        tl.store(X + lanes + value, lanes)
        """,
        assume=assume,
    )


@pytest.mark.parametrize(
    ("expression", "divisor"),
    [
        ("0", "B"),
        ("pid * B", "B"),
        ("pid * B * N + B", "B"),
        ("(pid + 3) * B * 2", "B"),
        ("(pid % M) * B", "B"),
        ("(pid * B) % (M * B)", "B"),
        ("(pid * B) % (M * B) % (2 * B)", "B"),
        ("pid // N * B - B", "B"),
        ("pid * 64", 16),
        ("pid * 6 * 4 + 8", 8),
        ("(pid % 32) * 4 + pid // 32 * 128", 4),
        ("pid - pid % 8", 8),
        ("pid + (8 - pid % 8)", 8),
    ],
)
def test_follows_from_the_arithmetic(expression: str, divisor: str | int) -> None:
    found = proof(expression, divisor)
    assert found is not None and found.is_arithmetic


@pytest.mark.parametrize(
    ("expression", "divisor"),
    [
        ("N", "B"),
        ("pid * B + 1", "B"),
        ("pid * B // 2", "B"),
        ("pid * 3", 2),
        ("pid * B % M", "B"),
        ("tl.load(Y + pid)", 2),
        ("(pid * B) % (M * B + 1)", "B"),
        ("2 * pid", 4),
        ("B", 2),
        ("pid * B + N * B // N", "B"),
    ],
)
def test_does_not_follow(expression: str, divisor: str | int) -> None:
    assert proof(expression, divisor) is None


@pytest.mark.parametrize(
    ("expression", "divisor", "fact"),
    [
        ("N", "B", "N % B == 0"),
        ("N * M", "B", "N % B == 0"),
        ("N + pid * B", "B", "N % B == 0"),
        ("N", "B", "N % (2 * B) == 0"),
        ("N - M", "B", "(N - M) % B == 0"),
        ("M - N", "B", "(N - M) % B == 0"),
        ("N - M + 3 * B", "B", "(N - M) % B == 0"),
        ("(pid * B) % N", "B", "N % B == 0"),
        ("N", 8, "N % 24 == 0"),
        ("N * 2", 16, "N % 8 == 0"),
        ("pid * B", 16, "B % 16 == 0"),
    ],
)
def test_given(expression: str, divisor: str | int, fact: str) -> None:
    found = proof(expression, divisor, [fact])
    assert found is not None
    assert [a.text for a in found.given] == [fact]
    assert proof(expression, divisor) is None


def test_two_facts_multiply() -> None:
    found = proof("N * M", 32, ["N % 4 == 0", "M % 8 == 0"])
    assert found is not None and len(found.given) == 2
    assert proof("N * M", 64, ["N % 4 == 0", "M % 8 == 0"]) is None
    assert proof("N + M", 8, ["N % 4 == 0", "M % 8 == 0"]) is None


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("tl.static_assert(N % B == 0)", True),
        ("tl.assume(N % B == 0)", True),
        ("tl.static_assert(N % B == 0 and M > 0, 'no')", True),
        ("tl.static_assert(N % B == 0 or M > 0)", False),
        ("tl.static_assert(N % B == 1)", False),
        ("tl.device_assert(N % B == 0)", False),
        ("if M:\n            tl.assume(N % B == 0)", False),
        ("if M:\n            return\n        tl.assume(N % B == 0)", False),
    ],
)
def test_stated_by_the_kernel(statement: str, shown: bool) -> None:
    found = proof("N", "B", before=statement)
    assert (found is not None and found.stated != ()) == shown


def test_words_for_what_it_rests_on() -> None:
    found = proof("N * M", 32, ["N % 4 == 0", "M % 8 == 0"])
    assert found is not None
    assert found.because == "given: M % 8 == 0; given: N % 4 == 0"


@pytest.mark.parametrize(
    ("expression", "least", "sizes"),
    [
        ("pid * 2 + 3", 3, set()),
        ("pid * B", 0, set()),
        ("B", 1, set()),
        ("pid % N", 0, set()),
        ("pid // N", 0, {"N"}),
        ("tl.cdiv(N, B)", 0, {"N"}),
        ("(N + B - 1) // B", 0, {"N"}),
        ("pid // (N - pid)", 0, {"divider"}),
        ("min(pid, 7)", 0, set()),
        ("max(pid, M)", 0, set()),
        ("tl.num_programs(0)", 1, set()),
    ],
)
def test_lower_bounds(expression: str, least: int, sizes: set[str]) -> None:
    facts = kernel(expression, before="divider = N - pid")
    found = Bounds(facts).lower_bound(form(facts, "value"))
    assert found is not None
    assert (found.number, set(found.sizes)) == (least, sizes)


@pytest.mark.parametrize("expression", ["M", "pid - 1", "-pid", "pid * M", "M % N", "min(pid, M)"])
def test_may_be_negative(expression: str) -> None:
    facts = kernel(expression)
    found = Bounds(facts).lower_bound(form(facts, "value"))
    assert found is None or found.number < 0


def test_a_bound_that_is_given() -> None:
    facts = kernel("pid * B + M", ["M >= 0"])
    found = Bounds(facts).lower_bound(form(facts, "value"))
    assert found is not None and [a.text for a in found.given] == ["M >= 0"]
