"""What the compiler makes of what loop-unswitch writes, for GPUs that need not be here.

The claims of the manual page on compiled code are counted.
"""

from __future__ import annotations

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
def test_the_load_under_the_branch_is_pipelined(tmp_path: Path, capability: int) -> None:
    before, after = EXAMPLES / "gated_matmul.py", tmp_path / "gated_matmul.py"
    result = rewrite_source(before.read_text(), "loop-unswitch")
    assert result.changed
    after.write_text(result.text)
    waiting = [
        compiled(path, "fp16", 64, capability).count("ld.global") for path in (before, after)
    ]
    assert waiting == [1, 0]
