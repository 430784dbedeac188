"""Casts under a constant of the compiler give the same with the constant set and unset.

Which of the two runs is decided by tensors of 1 GB, so that the answer is never a yes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.layers import few
from tests.passes.cases import case
from tritonopt.verification import verify


@pytest.mark.parametrize(
    ("limit", "ran"),
    few([("2**9", "always held"), ("2**30", "never held")], 0),
)
@pytest.mark.parametrize(
    "name", few(["on_demand", "on_demand_in_a_product", "on_demand_in_a_batch"], 0)
)
def test_what_runs_is_the_same(name: str, limit: str, ran: str, tmp_path: Path) -> None:
    before, after = case(f"int64-offsets/{name}").written(tmp_path)
    after.write_text(after.read_text().replace("2**30", limit))
    verdict = verify(before, after, backend="interpreter", max_examples=3)
    assert verdict.verdict == "unsupported", verdict
    assert ran in str(verdict.reason)
    assert "what was run is identical" in verdict.notes
