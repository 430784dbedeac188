"""A list of conditions ends with the first that does not hold."""

from __future__ import annotations

import pytest
from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown

from tritonopt.facts import parse_assumption
from tritonopt.rewriting.model import Condition, Safety, Status
from tritonopt.transforms.writing import NotExpressible


def test_what_does_not_hold_ends_the_block_and_the_list() -> None:
    attempt = Attempt()
    with attempt:
        attempt.prove("same-range", "both are range(0, N, BLOCK)")
        raise refuted("same-mask", "different-mask", "they are masked differently")
    assert [c.claim for c in attempt.conditions] == ["same-range", "same-mask"]
    assert attempt.failed is attempt.conditions[-1]
    assert attempt.failed.reason == "different-mask"


def test_what_cannot_be_written_is_a_condition_like_another() -> None:
    attempt = Attempt()
    with attempt:
        raise NotExpressible("N has no name here")
    wanted = Condition("is-expressible", Status.UNKNOWN, "N has no name here", "not-expressible")
    assert attempt.conditions == (wanted,)


def test_what_holds_leaves_nothing_failed() -> None:
    attempt = Attempt()
    with attempt:
        attempt.assume_no_other_launches()
    assert attempt.failed is None
    assert [c.status for c in attempt.conditions] == [Status.ASSUMED]
    assert attempt.safety == frozenset()


def test_a_defect_is_no_condition() -> None:
    attempt = Attempt()
    with pytest.raises(ZeroDivisionError), attempt:
        raise ZeroDivisionError
    assert attempt.conditions == ()


def test_facts_that_were_given_are_an_assumption_also_where_a_later_condition_fails() -> None:
    attempt = Attempt()
    with attempt:
        attempt.prove("same-range", "given", [parse_assumption("N == 4")])
        raise unknown("same-mask", "different-mask", "not known")
    assert attempt.safety == {Safety.ASSUMPTION}
    assert attempt.facts_used == {"N == 4"}
