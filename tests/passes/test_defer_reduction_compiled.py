"""What the compiler makes of deferred reductions, for GPUs that need not be here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.passes.compiling import check_compiles_where_the_original_did, compiled

CASES = Path(__file__).resolve().parent / "defer-reduction"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", sorted(set(PASSED) - {"bits", "type_of_the_code"}))
def test_compiles_where_the_original_did(name: str) -> None:
    check_compiles_where_the_original_did(CASES / f"{name}.py", "i32", flag=True)


def test_bits_of_integers_compile() -> None:
    assert "xor.b32" in compiled(CASES / "bits.expected.py", "i32")


@pytest.mark.parametrize("capability", [80, 90])
def test_no_shuffle_and_no_barrier_is_left_in_the_loop(capability: int) -> None:
    before, after = (
        compiled(CASES / f"sum_of_squares{suffix}.py", "fp32", 1024, capability)
        for suffix in ("", ".expected")
    )
    assert _in_the_loop(before, "shfl") > 5 and _in_the_loop(before, "bar.sync") > 0
    assert _in_the_loop(after, "shfl") == _in_the_loop(after, "bar.sync") == 0
    assert after.count("shfl") == before.count("shfl")


def _in_the_loop(ptx: str, instruction: str) -> int:
    """How often an instruction stands between the label of the one loop and the way back to it."""
    (label,) = (
        name
        for name in re.findall(r"^(\$L__BB\w+):", ptx, re.MULTILINE)
        if re.search(rf"bra\s+\{name};", ptx[ptx.index(f"{name}:") :])
    )
    start = ptx.index(f"{label}:")
    return ptx[start : ptx.index(f"{label};", start)].count(instruction)
