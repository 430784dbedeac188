"""What the compiler makes of nests that are one loop, and of loops over columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.compiling import check_compiles_where_the_original_did

HERE = Path(__file__).resolve().parent
PASSED = [
    path.with_name(path.name.replace(".expected.py", ".py"))
    for folder in ("collapse-loops", "split-columns")
    for path in sorted((HERE / folder).glob("*.expected.py"))
]


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("path", PASSED, ids=[f"{p.parent.name}/{p.stem}" for p in PASSED])
def test_compiles_where_the_original_does(path: Path) -> None:
    check_compiles_where_the_original_did(path, "i32", flag=True)
