"""None of these rewrites may be accused; those that keep every bit must be called identical."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.verification.rewrites import RIGHT, Rewrite, marked
from tritonopt.verification import Verdict

BACKEND = os.environ.get("TRITONOPT_BACKEND", "interpreter")


@pytest.fixture(autouse=True)
def asks_for_no_cheats() -> None:
    """It is asked here."""


@pytest.fixture
def asks_no_gpu() -> None:
    """It is asked here."""


@pytest.mark.parametrize("rewrite", marked(RIGHT))
def test_a_right_rewrite_is_accepted(rewrite: Rewrite, against: Callable[..., Verdict]) -> None:
    verdict = against(rewrite.subject, *rewrite.changes, max_examples=8)
    # What rounds differently may happen not to, and on a GPU the order of a sum is the compiler's.
    exact = rewrite.verdict == "identical" and BACKEND == "interpreter"
    allowed = ("identical",) if exact else ("identical", "equivalent")
    assert verdict.verdict in allowed, verdict
    assert (verdict.worst_error is not None) == (verdict.verdict == "equivalent")
    assert verdict.examples > 5


def test_there_are_enough_of_them() -> None:
    assert len(RIGHT) >= 30 and any(r.quick for r in RIGHT)
