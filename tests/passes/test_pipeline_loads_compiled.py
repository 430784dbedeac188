"""What the compiler makes of what pipeline-loads writes, for GPUs that need not be here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.cases import case
from tests.passes.compiling import compiled


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("capability", [80, 90])
def test_tiles_are_loaded_ahead(capability: int, tmp_path: Path) -> None:
    files = case("pipeline-loads/plain_range").written(tmp_path)
    texts = [compiled(path, block=1024, capability=capability) for path in files]
    assert ["cp.async" in text for text in texts] == [False, True]
    assert ["ld.global" in text for text in texts] == [True, False]


@pytest.mark.parametrize("name", ["stored_by_the_turn_before", "atomic_inside", "volatile"])
def test_the_compiler_does_not_ask_what_is_stored(name: str, tmp_path: Path) -> None:
    """Why such loops are declined: by hand, they are pipelined all the same."""
    by_hand = tmp_path / "by_hand.py"
    text = case(f"pipeline-loads/{name}").text.replace(", BLOCK):", ", BLOCK, num_stages=3):")
    by_hand.write_text(text.replace("in range(", "in tl.range("))
    assert "cp.async" in compiled(by_hand, block=1024)


def test_the_compiler_pipelines_no_loop_with_a_barrier(tmp_path: Path) -> None:
    by_hand = tmp_path / "by_hand.py"
    text = case("pipeline-loads/barrier_inside").text
    by_hand.write_text(text.replace("range(0, N, BLOCK)", "tl.range(0, N, BLOCK, num_stages=3)"))
    assert "cp.async" not in compiled(by_hand, block=1024)
