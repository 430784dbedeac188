"""An attempt at a site ends with the first condition that does not hold."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import NotExpressible
from tritonopt.facts import parse_assumption
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.rewriting.model import Answer, Bits, Condition, Profit, Safety, Site, Status
from tritonopt.source.errors import EditConflict


def test_what_does_not_hold_ends_the_block_and_the_list() -> None:
    with Attempt() as attempt:
        attempt.prove("same-range", "both are range(0, N, BLOCK)")
        raise refuted("same-arguments", "different-mask", "they are masked differently")
    assert [c.claim for c in attempt.conditions] == ["same-range", "same-arguments"]
    assert attempt.failed is attempt.conditions[-1]
    assert attempt.failed.reason == "different-mask"


def test_what_cannot_be_written_is_a_condition_like_another() -> None:
    with Attempt() as attempt:
        raise NotExpressible("N has no name here")
    wanted = Condition("is-expressible", Status.UNKNOWN, "N has no name here", "not-expressible")
    assert attempt.conditions == (wanted,)


def test_what_holds_leaves_nothing_failed() -> None:
    with Attempt() as attempt:
        attempt.assume_no_other_launches()
    assert attempt.failed is None
    assert [c.status for c in attempt.conditions] == [Status.ASSUMED]
    assert attempt.safety == frozenset()


def test_a_defect_is_no_condition() -> None:
    with pytest.raises(ZeroDivisionError), Attempt() as attempt:
        raise ZeroDivisionError
    assert attempt.conditions == ()


def test_facts_that_were_given_are_an_assumption_also_where_a_later_condition_fails() -> None:
    with Attempt() as attempt:
        attempt.prove("same-range", "given", [parse_assumption("N == 4")])
        raise unknown("same-arguments", "different-mask", "not known")
    assert attempt.safety == {Safety.ASSUMPTION}
    assert attempt.facts_used == {"N == 4"}


def test_indices_that_are_too_large_are_a_condition_like_another() -> None:
    with Attempt() as attempt:
        raise TooLarge
    assert [c.status for c in attempt.conditions] == [Status.UNKNOWN]
    assert attempt.conditions[0].claim == "is-understood"


def test_an_edit_that_the_text_does_not_allow_is_a_condition_like_another() -> None:
    with Attempt() as attempt:
        raise EditConflict("a comment would be lost")
    wanted = Condition(
        "is-expressible", Status.UNKNOWN, "a comment would be lost", "not-expressible"
    )
    assert attempt.conditions == (wanted,)


def test_a_site_says_what_was_done_or_what_failed() -> None:
    anchor = ast.Pass()
    with Attempt() as attempt:
        attempt.need(Safety.ROUNDING)
    gain = Profit(Answer.ALWAYS)
    done = Site.of(attempt, anchor, "merged it", "left it", bits=Bits.REDUCTION_ORDER, profit=gain)
    assert (done.message, done.safety, done.profit) == ("merged it", {Safety.ROUNDING}, gain)
    with Attempt() as attempt:
        raise refuted("same-range", "different-range", "one starts at 1")
    left = Site.of(attempt, anchor, "merged it", "left it", needs={Safety.CONTRACT})
    assert left.message == "left it: one starts at 1"
    assert (left.safety, left.changes) == ({Safety.CONTRACT}, ())


def test_the_old_names_are_importable_and_say_where_the_new_ones_are() -> None:
    code = (
        "from tritonopt.rewriting.checklist import Checklist, Declined, refuted, unknown\n"
        "checklist = Checklist()\n"
        "with checklist.until_one_fails():\n"
        "    raise refuted('same-range', 'different-range', 'one starts at 1')\n"
        "print(checklist.failed.reason)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "different-range\n"
    assert "DeprecationWarning" in ran.stderr and "tritonopt.checks.attempt" in ran.stderr
