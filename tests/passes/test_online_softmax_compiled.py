"""What the compiler makes of one sweep for a maximum and a sum, for GPUs that need not be here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.passes.compiling import check_compiles_where_the_original_did, compiled

CASES = Path(__file__).resolve().parent / "online-softmax"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", PASSED)
def test_compiles_where_the_original_did(name: str) -> None:
    dtype = {"double_precision": "fp64", "temperature": "fp16"}.get(name, "fp32")
    check_compiles_where_the_original_did(CASES / f"{name}.py", "i32", flag=True, dtype=dtype)


def test_each_element_is_loaded_once() -> None:
    before, after = (
        compiled(CASES / f"logsumexp{suffix}.py", "fp32", 1024) for suffix in ("", ".expected")
    )
    loads = [len(re.findall(r"ld\.global", ptx)) for ptx in (before, after)]
    assert loads[0] == 2 * loads[1] > 0
