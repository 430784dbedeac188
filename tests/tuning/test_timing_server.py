"""What the worker that times sees of launches, without a GPU."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tritonopt.tuning.compiling.tuners import chosen, fix
from tritonopt.tuning.timing_server import _compilations
from tritonopt.verification.worker.loading import load


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


TUNED = """
import torch
import triton
import triton.language as tl
from elsewhere import shared

MEASURED = []


def timed(run, quantiles):
    MEASURED.append(1)
    run()
    return [1.0 / len(MEASURED)] * 3


@triton.autotune([triton.Config({"BLOCK": n}) for n in (16, 32, 64)], key=["n"], do_bench=timed)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def kernel(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(x + cols, BLOCK, mask=cols < n)


def of(x):
    kernel[(1,)](x, x.shape[0])
    return int(x[0]), len(MEASURED)
"""


def loaded(path: Path) -> Any:
    before = list(sys.meta_path)
    module = load(path, TUNED, str(path))
    sys.meta_path[:] = before
    del sys.modules[module.__name__]
    return module


def test_tuners_take_what_others_chose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one is measured to be the fastest; a kernel of another file is nobody's here."""
    import torch

    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "elsewhere.py").write_text(
        TUNED.replace("from elsewhere", "#").replace("def of(", "shared = kernel\n\n\ndef of(")
    )
    path = tmp_path / "tuned.py"
    one, other, third = (loaded(path) for _ in range(3))
    assert not chosen(one)
    assert one.of(torch.zeros(20)) == (64, 3)
    found = chosen(one)
    assert list(found) == ["kernel"] and found["kernel"].startswith("BLOCK: 64")
    fix(other, {"kernel": found["kernel"].replace("64", "32"), "shared": found["kernel"]})
    assert other.of(torch.zeros(20)) == (32, 0)
    assert len(other.shared.configs) == 3
    fix(third, {"kernel": "BLOCK: 8"})  # as for a variant that has other ones
    assert third.of(torch.zeros(20)) == (64, 3)
