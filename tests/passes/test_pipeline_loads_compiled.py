"""What the compiler makes of what pipeline-loads writes, for GPUs that need not be here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.compiling import check_compiles_where_the_original_did, compiled

CASES = Path(__file__).resolve().parent / "pipeline-loads"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", PASSED)
def test_compiles_where_the_original_did(name: str) -> None:
    check_compiles_where_the_original_did(CASES / f"{name}.py", "i32", flag=True)


@pytest.mark.parametrize("capability", [80, 90])
def test_tiles_are_loaded_ahead(capability: int) -> None:
    before = CASES / "plain_range.py"
    after = before.with_suffix(".expected.py")
    texts = [compiled(path, block=1024, capability=capability) for path in (before, after)]
    assert ["cp.async" in text for text in texts] == [False, True]
    assert ["ld.global" in text for text in texts] == [True, False]


@pytest.mark.parametrize("name", ["stored_by_the_turn_before", "atomic_inside", "volatile"])
def test_the_compiler_does_not_ask_what_is_stored(name: str, tmp_path: Path) -> None:
    """Why such loops are declined: by hand, they are pipelined all the same."""
    by_hand = tmp_path / "by_hand.py"
    text = (CASES / f"{name}.py").read_text().replace(", BLOCK):", ", BLOCK, num_stages=3):")
    by_hand.write_text(text.replace("in range(", "in tl.range("))
    assert "cp.async" in compiled(by_hand, block=1024)


def test_the_compiler_pipelines_no_loop_with_a_barrier(tmp_path: Path) -> None:
    by_hand = tmp_path / "by_hand.py"
    text = (CASES / "barrier_inside.py").read_text()
    by_hand.write_text(text.replace("range(0, N, BLOCK)", "tl.range(0, N, BLOCK, num_stages=3)"))
    assert "cp.async" not in compiled(by_hand, block=1024)
