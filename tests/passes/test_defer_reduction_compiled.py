"""What the compiler makes of deferred reductions, for GPUs that need not be here."""

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


def test_bits_of_integers_compile(tmp_path: Path) -> None:
    _, after = case("defer-reduction/bits").written(tmp_path)
    assert "xor.b32" in compiled(after, "i32")


@pytest.mark.parametrize("capability", [80, 90])
def test_no_shuffle_and_no_barrier_is_left_in_the_loop(capability: int, tmp_path: Path) -> None:
    files = case("defer-reduction/sum_of_squares").written(tmp_path)
    before, after = (compiled(path, "fp32", 1024, capability) for path in files)
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
