"""A list of conditions ends with the first that does not hold."""

from __future__ import annotations

import pytest

from tritonopt.facts import parse_assumption
from tritonopt.rewriting.checklist import Checklist, refuted, unknown
from tritonopt.rewriting.model import Condition, Safety, Status
from tritonopt.transforms.writing import NotExpressible


def test_what_does_not_hold_ends_the_block_and_the_list() -> None:
    checklist = Checklist()
    with checklist.until_one_fails():
        checklist.prove("same-range", "both are range(0, N, BLOCK)")
        raise refuted("same-mask", "different-mask", "they are masked differently")
    assert [c.claim for c in checklist.conditions] == ["same-range", "same-mask"]
    assert checklist.failed is checklist.conditions[-1]
    assert checklist.failed.reason == "different-mask"


def test_what_cannot_be_written_is_a_condition_like_another() -> None:
    checklist = Checklist()
    with checklist.until_one_fails():
        raise NotExpressible("N has no name here")
    wanted = Condition("is-expressible", Status.UNKNOWN, "N has no name here", "not-expressible")
    assert checklist.conditions == (wanted,)


def test_what_holds_leaves_nothing_failed() -> None:
    checklist = Checklist()
    with checklist.until_one_fails():
        checklist.assume_no_other_launches()
    assert checklist.failed is None
    assert [c.status for c in checklist.conditions] == [Status.ASSUMED]
    assert checklist.safety == frozenset()


def test_a_defect_is_no_condition() -> None:
    checklist = Checklist()
    with pytest.raises(ZeroDivisionError), checklist.until_one_fails():
        raise ZeroDivisionError
    assert checklist.conditions == ()


def test_facts_that_were_given_are_an_assumption_also_where_a_later_condition_fails() -> None:
    checklist = Checklist()
    with checklist.until_one_fails():
        checklist.prove("same-range", "given", [parse_assumption("N == 4")])
        raise unknown("same-mask", "different-mask", "not known")
    assert checklist.safety == {Safety.ASSUMPTION}
    assert checklist.facts_used == {"N == 4"}
