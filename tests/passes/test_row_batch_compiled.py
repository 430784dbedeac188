"""What the compiler makes of several rows in a program, for GPUs that need not be here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.compiling import compiled

CASES = Path(__file__).resolve().parent / "row-batch"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))
INDICES = {"atomics_of_rows", "gathered", "long_tile_at_one_launch"}
"""Cases whose pointers must be to integers, as all are here."""
SIZES = {"ROWS": 4, "ROWS_PER_PROGRAM": 4}


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


# In one of them a parameter is called ROWS, and is no size.
@pytest.mark.parametrize("name", sorted(set(PASSED) - {"id_bound_again"}))
def test_several_rows_compile(name: str) -> None:
    dtype = "i32" if name in INDICES else "fp32"
    # With more than one element of a row to a thread, which is where assertions were seen to fail.
    assert ".entry" in compiled(CASES / f"{name}.expected.py", dtype, block=64, others=SIZES)


def test_a_row_of_weights_is_loaded_once() -> None:
    """A thread loads its part of four rows at once, and each weight no more often than for one."""
    one, four = (
        compiled(CASES / "layer_norm.expected.py", "fp32", 128, others={"ROWS": rows})
        for rows in (1, 4)
    )
    assert one.count("ld.global") == four.count("ld.global") == 3
