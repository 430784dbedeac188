"""What becomes of rows in one tile compiles, for GPUs that need not be here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.compiling import check_compiles_where_the_original_did

CASES = Path(__file__).resolve().parent / "one-tile"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", PASSED)
def test_compiles_where_the_original_did(name: str) -> None:
    check_compiles_where_the_original_did(CASES / f"{name}.py", "i32", flag=True, dtype="fp32")
