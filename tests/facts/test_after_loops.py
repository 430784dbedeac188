"""What is read after a loop as the loop left it."""

from __future__ import annotations

import pytest

from tests.facts.support import body, outer_loop
from tritonopt.checks.condition import Declined
from tritonopt.facts.recurrences import Kind
from tritonopt.facts.recurrences.partials import (
    check_last_values,
    reads_after,
    reduction_after,
)

LOOP = """
acc = tl.zeros([B], dtype=tl.float32)
last = 0.0
for start in range(0, N, B):
    x = tl.load(X + start + tl.arange(0, B))
    acc += x
    last = tl.max(x, axis=0)
"""

READ = {
    "plainly": "tl.store(Y, last)",
    "as it is updated": "last += 1.0",
    "where a branch has not replaced it": "if N > 5:\n    last = 1.0\ntl.store(Y, last)",
    "in a branch": "if N > 5:\n    tl.store(Y, last)",
    "where a later loop may not run": "for i in range(N):\n    last = 1.0\ntl.store(Y, last)",
    "in a later loop, the first time": (
        "for i in range(N):\n    tl.store(Y + i, last)\n    last = 1.0"
    ),
}
NOT_READ = {
    "replaced": "last = 1.0\ntl.store(Y, last)",
    "replaced in both branches": (
        "if N > 5:\n    last = 1.0\nelse:\n    last = 2.0\ntl.store(Y, last)"
    ),
    "replaced in a later loop": "for i in range(N):\n    last = 1.0\n    tl.store(Y + i, last)",
    "left alone": "tl.store(Y, 1.0)",
}


@pytest.mark.parametrize("after", READ.values(), ids=READ.keys())
def test_a_name_is_read_as_the_loop_left_it(after: str) -> None:
    facts = body(LOOP + after)
    assert reads_after(facts, outer_loop(facts), "last")
    with pytest.raises(Declined, match="last"):
        check_last_values(facts, outer_loop(facts), {"last"})


@pytest.mark.parametrize("after", NOT_READ.values(), ids=NOT_READ.keys())
def test_a_name_is_not_read(after: str) -> None:
    facts = body(LOOP + after)
    assert not reads_after(facts, outer_loop(facts), "last")


def test_a_name_that_is_bound_again_has_no_last_value() -> None:
    facts = body(LOOP + NOT_READ["replaced"])
    check_last_values(facts, outer_loop(facts), {"last"})


def test_the_one_reduction_of_a_name() -> None:
    facts = body(LOOP + "tl.store(Y, tl.sum(acc, axis=0) / N)")
    assert reduction_after(facts, outer_loop(facts), "acc", Kind.ADD) is not None
    assert reduction_after(facts, outer_loop(facts), "acc", Kind.MAX) is None


def test_a_name_that_a_branch_may_replace_is_not_reduced_alone() -> None:
    after = "if N > 5:\n    acc = acc * 2\ntl.store(Y, tl.sum(acc, axis=0))"
    facts = body(LOOP + after)
    assert reduction_after(facts, outer_loop(facts), "acc", Kind.ADD) is None
