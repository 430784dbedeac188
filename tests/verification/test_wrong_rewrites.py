"""Every one of these rewrites is wrong, and has to be found."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.verification.rewrites import WRONG, Rewrite, marked, names
from tritonopt.verification import Verdict

BACKEND = os.environ.get("TRITONOPT_BACKEND", "interpreter")


@pytest.mark.parametrize("rewrite", marked(WRONG))
def test_a_wrong_rewrite_is_found(rewrite: Rewrite, against: Callable[..., Verdict]) -> None:
    if rewrite.only_on_a_gpu and BACKEND != "cuda":
        pytest.skip("shows on a GPU only")
    verdict = against(rewrite.subject, *rewrite.changes, max_examples=20)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample and verdict.script


def test_every_kind_of_mistake_is_among_the_quick_ones() -> None:
    assert {r.kind for r in WRONG} == {r.kind for r in WRONG if r.quick}
    assert len(WRONG) >= 60 and len({r.subject for r in WRONG}) >= 15
    assert len(set(names(WRONG))) == len(WRONG)
