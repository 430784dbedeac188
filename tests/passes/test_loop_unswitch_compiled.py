"""What the compiler makes of what loop-unswitch writes, for GPUs that need not be here.

The rewritten kernel must compile wherever the original did: an `if` asks more of types than a
loop does. And the claims of the manual page on compiled code are counted.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.compiling import check_compiles_where_the_original_did, compiled
from tritonopt import rewrite_source

CASES = Path(__file__).resolve().parent / "loop-unswitch"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", PASSED)
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("number", ["i64", 1])
def test_compiles_where_the_original_did(name: str, number: str | int, flag: bool) -> None:
    check_compiles_where_the_original_did(CASES / f"{name}.py", number, flag)


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
