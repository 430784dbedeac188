"""What the compiler makes of loops over tiles that were loops over single elements."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.passes.compiling import compiled

CASES = Path(__file__).resolve().parent / "scalar-loop"
PASSED = sorted(path.name.removesuffix(".expected.py") for path in CASES.glob("*.expected.py"))


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", PASSED)
def test_compiles_wherever_the_original_does(name: str) -> None:
    """Each for buffers of floats and of integers; some take only one of these."""
    either = False
    for dtype in ("fp32", "i32"):
        try:
            compiled(CASES / f"{name}.py", dtype, number="i32")
        except Exception:  # whatever a compiler raises
            continue
        compiled(CASES / f"{name}.expected.py", dtype, number="i32")
        either = True
    assert either, "the original compiles for neither"
