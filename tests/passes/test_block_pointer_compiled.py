"""What the compiler makes of block pointers that are tiles of pointers."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from tests.passes.cases import case
from tests.passes.compiling import compiled

language = pytest.importorskip("triton.language")


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.skipif(
    "boundary_check" not in inspect.signature(language.load).parameters,
    reason="this Triton has no block pointers",
)
@pytest.mark.parametrize("name", ["copy_of_a_matrix", "one_axis", "three_axes", "keywords_stay"])
def test_memory_is_accessed_as_before(name: str, tmp_path: Path) -> None:
    """As wide, as often, and in code that is no longer."""
    before, after = map(compiled, case(f"block-pointer/{name}").written(tmp_path))
    assert _accesses(after) == _accesses(before)
    assert len(_instructions(after)) <= len(_instructions(before))


def _accesses(ptx: str) -> list[str]:
    return re.findall(r"(?:ld|st)\.global\S*", ptx)


def _instructions(ptx: str) -> list[str]:
    return [line for line in ptx.splitlines() if line.rstrip().endswith(";")]
