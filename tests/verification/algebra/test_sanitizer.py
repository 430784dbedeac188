"""Triton's own sanitizer: what it needs, and whether it changes what is compiled."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tritonopt.verification.comparison.same_algebra import second_opinion
from tritonopt.verification.worker.launch_hook import sanitized

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def kernel(X, Y, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(X + i)
    tl.store(Y + i, tl.exp(x) / tl.sum(tl.exp(x)))
"""


def test_a_triton_without_it_is_told() -> None:
    checker: Any = SimpleNamespace()
    said = second_opinion(checker, "cuda: NVIDIA H200, triton 3.6.0, torch 2.11.0")
    assert said == ("Triton's own sanitizer was not asked: triton 3.6.0 has none, 3.8 and later do")


def test_it_changes_the_code_from_3_8_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Compiled for a GPU that need not be there.
    compiler: Any = importlib.import_module("triton.compiler")
    backends: Any = importlib.import_module("triton.backends.compiler")
    knobs: Any = importlib.import_module("triton.knobs").compilation
    triton: Any = importlib.import_module("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("a_kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(*, warmup: bool) -> Any:
        types = {"X": "*fp32", "Y": "*fp32", "B": "constexpr"}
        source = compiler.ASTSource(fn=module.kernel, signature=types, constexprs={(2,): 128})
        options = {"instrumentation_mode": knobs.instrumentation_mode}
        target = backends.GPUTarget("cuda", 90, 32)
        return compiler.compile(source, target=target, options=options)

    _, changed = sanitized(run, (), {"warmup": False})
    has_one = tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 8)
    assert changed == has_one
