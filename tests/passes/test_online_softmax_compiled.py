"""What the compiler makes of one sweep for a maximum and a sum, for GPUs that need not be here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.passes.cases import case
from tests.passes.compiling import compiled


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


def test_each_element_is_loaded_once(tmp_path: Path) -> None:
    files = case("online-softmax/logsumexp").written(tmp_path)
    loads = [len(re.findall(r"ld\.global", compiled(path, "fp32", 1024))) for path in files]
    assert loads[0] == 2 * loads[1] > 0
