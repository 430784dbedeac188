"""What the compiler makes of what licm writes, for GPUs that need not be here.

The claims of the manual page on compiled code are counted.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.passes.compiling import compiled
from tritonopt import rewrite_source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("capability", [80, 90])
def test_the_weights_are_read_above_the_loop(tmp_path: Path, capability: int) -> None:
    before = EXAMPLES / "persistent_rms_norm.py"
    after = _rewritten(before, tmp_path)
    texts = [compiled(path, "fp16", 1024, capability) for path in (before, after)]
    assert [_loads_in_the_loop(text) for text in texts] == [2, 1]


def _rewritten(path: Path, folder: Path) -> Path:
    result = rewrite_source(path.read_text(), "licm")
    assert result.changed
    new = folder / path.name
    new.write_text(result.text)
    return new


def _loads_in_the_loop(ptx: str) -> int:
    """The loads between the label of the one loop and the branch back to it."""
    (label,) = (
        name
        for name in re.findall(r"^(\$L__BB\w+):", ptx, re.MULTILINE)
        if re.search(rf"bra\s+\{name};", ptx[ptx.index(f"{name}:") :])
    )
    start = ptx.index(f"{label}:")
    return ptx[start : ptx.index(f"{label};", start)].count("ld.global")
