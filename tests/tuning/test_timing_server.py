"""What the worker that times sees of launches, without a GPU."""

from __future__ import annotations

from typing import Any

import pytest

from tritonopt.tuning.timing_server import _compilations


class Compiled:
    asm: dict[str, str] = {}  # as Triton's

    def __getitem__(self, grid: object) -> str:
        return f"launched on {grid}"


def test_what_a_launcher_remembers_is_seen_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    import triton.compiler.compiler
    from triton.runtime.jit import JITFunction

    first, second = Compiled(), Compiled()
    monkeypatch.setattr(triton.compiler.compiler, "CompiledKernel", Compiled)
    monkeypatch.setattr(JITFunction, "run", lambda *args, **kwargs: first)
    run: Any = JITFunction.run
    with _compilations() as found:
        assert JITFunction.run(None, grid=(1,)) is first
        assert first[1] == "launched on 1" and second[2] == "launched on 2"
    assert found == [first, second]
    assert JITFunction.run is run and second[3] == "launched on 3" and len(found) == 2
