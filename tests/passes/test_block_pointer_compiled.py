"""What the compiler makes of block pointers that are tiles of pointers."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from tests.passes.compiling import compiled

language = pytest.importorskip("triton.language")

CASES = Path(__file__).resolve().parent / "block-pointer"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", PASSED)
def test_compiles_without_block_pointers(name: str) -> None:
    """Also with a Triton that has none."""
    compiled(CASES / f"{name}.expected.py", others={"BM": 16, "BN": 16, "BK": 16})


@pytest.mark.skipif(
    "boundary_check" not in inspect.signature(language.load).parameters,
    reason="this Triton has no block pointers",
)
@pytest.mark.parametrize("name", ["copy_of_a_matrix", "one_axis", "three_axes", "keywords_stay"])
def test_memory_is_accessed_as_before(name: str) -> None:
    """As wide, as often, and in code that is no longer."""
    before, after = compiled(CASES / f"{name}.py"), compiled(CASES / f"{name}.expected.py")
    assert _accesses(after) == _accesses(before)
    assert len(_instructions(after)) <= len(_instructions(before))


def _accesses(ptx: str) -> list[str]:
    return re.findall(r"(?:ld|st)\.global\S*", ptx)


def _instructions(ptx: str) -> list[str]:
    return [line for line in ptx.splitlines() if line.rstrip().endswith(";")]
