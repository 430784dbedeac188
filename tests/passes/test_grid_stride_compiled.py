"""What the compiler makes of loops over tiles, for a GPU that need not be here.

A loop that needs more shared memory than the kernel did may not launch at all, and one that
spills is slow.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.cases import Case, rewritten
from tests.passes.compiling import resources
from tritonopt import rewrite_source

ROOT = Path(__file__).resolve().parents[2]
PRODUCTS = [case for case in rewritten("grid-stride") if "tl.dot" in case.text]


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("case", PRODUCTS, ids=[case.name for case in PRODUCTS])
def test_would_need_more_if_it_were_pipelined(case: Case, tmp_path: Path) -> None:
    _, after = case.written(tmp_path)
    text = after.read_text()
    assert text.count(", num_stages=1") == 1
    pipelined = tmp_path / "pipelined.py"
    pipelined.write_text(text.replace(", num_stages=1", ""))
    assert resources(pipelined)[0] > resources(after)[0]


def test_attention_over_windows_fits_into_shared_memory_as_before(tmp_path: Path) -> None:
    before = ROOT / "benchmarks" / "tiles" / "attention.py"
    after, pipelined = tmp_path / "after.py", tmp_path / "pipelined.py"
    after.write_text(rewrite_source(before.read_text(), "grid-stride").text)
    pipelined.write_text(after.read_text().replace(", num_stages=1)", ")"))
    extents = {"D": 128, "WINDOW": 128}
    memory = [
        resources(path, num_stages=3, others=extents)[0] for path in (before, after, pipelined)
    ]
    assert memory[0] == memory[1]
    assert memory[2] > 232448, "more than an H200 has, had the loop been pipelined"
