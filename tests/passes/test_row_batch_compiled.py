"""What the compiler makes of several rows in a program, for GPUs that need not be here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.cases import case
from tests.passes.compiling import compiled


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


def test_a_row_of_weights_is_loaded_once(tmp_path: Path) -> None:
    """A thread loads its part of four rows at once, and each weight no more often than for one."""
    _, after = case("row-batch/layer_norm").written(tmp_path)
    one, four = (compiled(after, "fp32", 128, others={"ROWS": rows}) for rows in (1, 4))
    assert one.count("ld.global") == four.count("ld.global") == 3
