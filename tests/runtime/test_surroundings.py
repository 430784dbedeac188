"""What a rewrite of a live kernel may rest on: what holds now, at any launch."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tritonopt
from tests.passes.cases import case
from tests.runtime.support import load
from tests.runtime.test_optimize import ARGUMENTS, IMPORTS, RELU, comparisons
from tritonopt.rewriting.pipeline import rewrite_source

CONSTANT = RELU.replace("tl.maximum(x, 0.0)", "tl.maximum(x, LEAST)").replace(
    "@triton.jit", "LEAST = tl.constexpr(0.0)\n\n\n@triton.jit"
)

HELPER = f"""\
{IMPORTS}@triton.jit
def scaled(x, factor: tl.constexpr):
    return x.to(tl.float32) * factor


@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64):
    offsets = tl.arange(0, BLOCK)
    x = scaled(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0), 2.0)
    tl.store(y_ptr + offsets, tl.maximum(x, 0.0) * n, mask=offsets < n)
"""

REPEATED = f"""\
import torch
{IMPORTS}@triton.jit
def scale(x_ptr, w_ptr, y_ptr, m, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in range(4):
        w = tl.load(w_ptr + columns, mask=columns < n, other=0.0)
        x = tl.load(x_ptr + row * n + columns, mask=columns < n, other=0.0)
        tl.store(y_ptr + row * n + columns, x * w, mask=columns < n)


def scaled(x, w):
    m, n = x.shape
    y = torch.empty_like(x)
    scale[(1,)](x, w, y, m, n, BLOCK=64)
    return y
"""


def optimized(kernel: Any, passes: str = "max-to-where", **rest: Any) -> tuple[Any, list[str]]:
    made = tritonopt.optimize(kernel, passes=passes, **rest)
    return made, [remark.reason for remark in made.tritonopt.remarks]


# Launches


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """By name only: no launcher is called here."""
    stand_in = ModuleType("torch")
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    return stand_in


def test_launches_are_no_evidence(tmp_path: Path, torch: ModuleType) -> None:
    assert rewrite_source(REPEATED, "licm").changed, "for the file they are"
    module: Any = load(tmp_path, REPEATED)
    made, reasons = optimized(module.scale, "licm")
    assert reasons == ["data-may-change"] and made.src == module.scale.src
    assert "launched from anywhere" in made.tritonopt.remarks[0].message


def test_what_is_given_takes_their_place(tmp_path: Path, torch: ModuleType) -> None:
    module: Any = load(tmp_path, REPEATED)
    made, _ = optimized(module.scale, "licm", assume=["disjoint(w_ptr, y_ptr)"])
    assert made.tritonopt.passes == ("licm",)


def test_launches_speak_against_a_rewrite(tmp_path: Path, torch: ModuleType) -> None:
    # The launcher passes integers, which the maximum of today makes floats.
    text = f"""\
import torch
{IMPORTS}@triton.jit
def total(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.store(y_ptr, tl.sum(tl.maximum(x, 1.0)))


def totalled(n):
    x = torch.ones(n, dtype=torch.int32)
    y = torch.empty(1)
    total[(1,)](x, y, n, BLOCK=64)
    return y
"""
    seen: Any = load(tmp_path, text)
    alone: Any = load(tmp_path, text[: text.index("def totalled")])
    _, reasons = optimized(alone.total)
    assert reasons == ["safety"]
    _, reasons = optimized(seen.total)
    assert reasons == ["type-changes"]


# Names


def test_a_constant_is_what_it_is_now(tmp_path: Path) -> None:
    module: Any = load(tmp_path, CONSTANT)
    made, _ = optimized(module.relu)
    assert "tl.where(x > LEAST, x, LEAST)" in made.src
    module.LEAST = module.tl.constexpr(-0.0)
    _, reasons = optimized(module.relu)
    assert reasons == ["constant-is-special"]
    module.LEAST = object()
    _, reasons = optimized(module.relu)
    assert reasons == ["no-constant"]


def test_a_constant_that_changes_before_it_is_compiled(tmp_path: Path) -> None:
    module: Any = load(tmp_path, CONSTANT)
    made, _ = optimized(module.relu)
    module.LEAST = module.tl.constexpr(float("nan"))
    with pytest.raises(RuntimeError, match="optimized for what LEAST stood for"):
        comparisons(made)
    module.LEAST = module.tl.constexpr(0.0)
    assert comparisons(made) == 1, "equal to what it was"


def test_what_an_optimized_kernel_rests_on_is_not_forgotten_by_the_next(tmp_path: Path) -> None:
    module: Any = load(tmp_path, CONSTANT)
    first, _ = optimized(module.relu)
    second, _ = optimized(first, "licm")
    assert second.src == first.src and comparisons(optimized(first, "licm")[0]) == 1
    module.LEAST = module.tl.constexpr(-0.0)
    with pytest.raises(RuntimeError, match="optimized for what LEAST stood for"):
        comparisons(second)


def test_names_that_the_rewrite_does_not_rest_on_may_change(tmp_path: Path) -> None:
    module: Any = load(tmp_path, CONSTANT)
    made, _ = optimized(module.relu)
    module.x = module.offsets = module.OTHER = 5
    assert comparisons(made) == 1


def test_helpers_are_the_live_ones(tmp_path: Path) -> None:
    module: Any = load(tmp_path, HELPER)
    made, _ = optimized(module.relu)
    assert made.tritonopt.passes == ("max-to-where",)
    other: Any = load(tmp_path, HELPER.replace(".to(tl.float32)", ""))
    # In the module's namespace, as a notebook's next cell would do it.
    exec(compile(Path(other.__file__).read_text(), other.__file__, "exec"), vars(module))
    with pytest.raises(RuntimeError, match="optimized for what scaled stood for"):
        comparisons(made)


def test_a_helper_that_is_optimized_meanwhile_does_what_it_did(tmp_path: Path) -> None:
    module: Any = load(tmp_path, HELPER)
    made, _ = optimized(module.relu)
    for passes in ("max-to-where", "licm"):
        module.scaled = tritonopt.optimize(module.scaled, passes=passes)
    assert comparisons(made) == 1


def test_a_helper_of_another_module_is_not_looked_into(tmp_path: Path) -> None:
    module: Any = load(tmp_path, HELPER)
    made, _ = optimized(module.relu)
    assert made.tritonopt.passes == ("max-to-where",), "the helper casts"
    module.scaled = load(tmp_path, HELPER).scaled
    _, reasons = optimized(module.relu)
    assert reasons == ["safety"]


def test_builtins_that_are_hidden_are_not_the_builtins(tmp_path: Path) -> None:
    text = RELU.replace("tl.maximum(x, 0.0)", "tl.maximum(x, float('-inf'))")
    module: Any = load(tmp_path, text)
    _, plain = optimized(module.relu)
    module.float = lambda text: 5.0
    _, hidden = optimized(module.relu)
    assert (plain, hidden) != (hidden, plain) and hidden == ["no-constant"]


def test_the_language_by_whatever_name(tmp_path: Path) -> None:
    names = ("load", "store", "arange", "program_id", "maximum", "float32", "constexpr")
    text = RELU.replace(
        "import triton.language as tl", f"from triton.language import {', '.join(names)}"
    )
    for name in names:
        text = text.replace(f"tl.{name}", name)
    module: Any = load(tmp_path, text)
    _, reasons = optimized(module.relu)
    assert reasons == ["not-expressible"], "tl.where has no name there"
    module.language = sys.modules["triton.language"]
    made, _ = optimized(module.relu)
    assert "language.where(x > 0.0, x, 0.0)" in made.src and comparisons(made) == 1


def test_new_code_does_not_say_what_the_module_understands_otherwise(
    tmp_path: Path, root: Path, torch: ModuleType
) -> None:
    # Its `min` is a reduction, and the rewrite would call Python's.
    text = case("fuse-stats/another_min").text
    module: Any = load(tmp_path, text)
    _, reasons = optimized(module.kernel, "fuse-stats")
    assert reasons == ["not-expressible"]
    del module.min
    made, _ = optimized(module.kernel, "fuse-stats")
    assert "min(N, BLOCK)" in made.src
    module.min = module.sum
    with pytest.raises(RuntimeError, match="optimized for what min stood for"):
        assert made.cache_key


def test_something_else_by_the_name_of_the_language(tmp_path: Path) -> None:
    text = RELU.replace(
        "import triton.language as tl", "import triton.language\nimport types\n\ntl = SHIM"
    ).replace("SHIM", "types.SimpleNamespace(**vars(triton.language))")
    made, reasons = optimized(load(tmp_path, text).relu)
    assert reasons == ["nothing-found"] and made.tritonopt.diff == ""


def test_a_jit_function_that_calls_it_may_pass_tiles(tmp_path: Path) -> None:
    text = f"""\
{IMPORTS}@triton.jit
def wrapped(x_ptr, n, BLOCK: tl.constexpr):
    offsets = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) % n
    return tl.load(x_ptr + offsets)


@triton.jit
def outer(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, wrapped(x_ptr, n, BLOCK))
"""
    module: Any = load(tmp_path, text)
    _, reasons = optimized(module.wrapped, "contiguity-hints", assume=["n % BLOCK == 0"])
    assert reasons[0] == "called-from-a-kernel"


# Each site for itself

MAXIMUM = f"""\
{IMPORTS}@triton.jit
def maximum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + columns, mask=columns < n)
        m = tl.maximum(m, tl.max(x, axis=0))
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + columns, mask=columns < n, other=0.0)
        tl.store(y_ptr + row * n + columns, x - m, mask=columns < n)
"""


def test_a_site_that_needs_another_kernel_is_missed_and_the_others_are_not(tmp_path: Path) -> None:
    kernel: Any = load(tmp_path, MAXIMUM).maximum
    made, _ = optimized(kernel, "undefined-lanes,one-tile{longer_rows=branch},defer-reduction")
    assert made.tritonopt.passes == ("undefined-lanes", "defer-reduction")
    assert 'other=float("-inf")' in made.src and "m = tl.max(m" in made.src
    missed = [r for r in made.tritonopt.remarks if r.pass_name == "one-tile"]
    assert [(r.kind.value, r.reason, r.line) for r in missed] == [("missed", "left-alone", 9)]
    assert "a change outside of the kernel" in missed[0].message


def test_a_mistake_whose_fix_is_elsewhere_is_told(tmp_path: Path) -> None:
    text = f"""\
{IMPORTS}@triton.autotune([triton.Config({{"BLOCK": 64}}), triton.Config({{"BLOCK": 128}})], ["n"])
@triton.jit
def add_to(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(y_ptr + offsets, mask=offsets < n, other=0.0)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    z = x.to(tl.float32)
    tl.store(y_ptr + offsets, tl.maximum(z, 0.0) + y, mask=offsets < n)
"""
    made, _ = optimized(load(tmp_path, text).add_to, "autotune-state,max-to-where")
    assert made.tritonopt.passes == ("max-to-where",)
    (told,) = [r for r in made.tritonopt.remarks if r.pass_name == "autotune-state"]
    assert told.kind.value == "analysis" and "outside of the kernel" in told.message


# Verification


def test_of_several_passes_those_that_are_verified_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(original: Path, rewritten: Path) -> Any:
        from tritonopt.verification import Verdict

        wrong = "m = tl.max(m" in Path(rewritten).read_text()
        verdict = "counterexample" if wrong else "identical"
        return Verdict(verdict, "interpreter", 3, reason="as it happened")

    monkeypatch.setattr("tritonopt.verification.verify", answer)
    kernel: Any = load(tmp_path, MAXIMUM).maximum
    made, _ = optimized(kernel, "undefined-lanes,defer-reduction", verify=True)
    assert made.tritonopt.passes == ("undefined-lanes",) and "m = tl.max(m" not in made.src
    left = made.tritonopt.remarks[-1]
    assert (left.pass_name, left.reason) == ("optimize", "left-alone")
    assert left.message.startswith("left out defer-reduction, which was not verified")
    undone = [r.reason for r in made.tritonopt.remarks if r.pass_name == "defer-reduction"]
    assert undone == ["left-alone"]


@pytest.mark.parametrize("verdict", ["identical", "equivalent", "counterexample", "unsupported"])
def test_only_what_was_verified_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: str
) -> None:
    asked: list[tuple[str, str]] = []

    def answer(original: Path, rewritten: Path) -> Any:
        from tritonopt.verification import Verdict

        assert os.environ["TRITONOPT_INSIDE_VERIFICATION"]
        asked.append((Path(original).read_text(), Path(rewritten).read_text()))
        return Verdict(verdict, "interpreter", 3, reason="as it happened")

    monkeypatch.setattr("tritonopt.verification.verify", answer)
    text = RELU + "\n\ndef behind():\n    pass\n"
    kernel: Any = load(tmp_path, text).relu
    made, reasons = optimized(kernel, verify=True)
    assert asked == [(text, text.replace("tl.maximum(x, 0.0)", "tl.where(x > 0.0, x, 0.0)"))]
    assert "TRITONOPT_INSIDE_VERIFICATION" not in os.environ
    if verdict in ("identical", "equivalent"):
        assert made.tritonopt.passes == ("max-to-where",)
    else:
        assert made.src == kernel.src and reasons == ["left-alone", "left-alone"]
        assert f"{verdict} on interpreter): as it happened" in made.tritonopt.remarks[1].message


def test_other_threads_go_on_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tritonopt.verification import Verdict

    begun, go_on = threading.Event(), threading.Event()

    def answer(original: Path, rewritten: Path) -> Any:
        begun.set()
        assert go_on.wait(60)
        return Verdict("identical", "interpreter", 3)

    monkeypatch.setattr("tritonopt.verification.verify", answer)
    kernels = [load(tmp_path, RELU).relu for _ in range(3)]
    with ThreadPoolExecutor(2) as pool:
        results = [pool.submit(optimized, kernel, verify=True) for kernel in kernels[:2]]
        assert begun.wait(60)
        meanwhile, _ = optimized(kernels[2])
        go_on.set()
        assert all(result.result()[0].tritonopt.passes for result in results)
    assert meanwhile.tritonopt.passes == ("max-to-where",)
    assert "TRITONOPT_INSIDE_VERIFICATION" not in os.environ


def test_the_file_that_is_verified_has_the_encoding_of_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tritonopt.verification import Verdict

    text = "# -*- coding: latin-1 -*-\n" + RELU.replace("zero", "z\u00e9ro")
    path = tmp_path / "latin.py"
    path.write_bytes(text.encode("latin-1"))
    monkeypatch.syspath_prepend(str(tmp_path))
    written: list[bytes] = []

    def answer(original: Path, rewritten: Path) -> Any:
        written.append(Path(rewritten).read_bytes())
        return Verdict("identical", "interpreter", 3)

    monkeypatch.setattr("tritonopt.verification.verify", answer)
    made, _ = optimized(importlib.import_module("latin").relu, verify=True)
    assert made.tritonopt.passes and b"z\xe9ro" in written[0]


def test_nothing_is_optimized_while_it_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITONOPT_INSIDE_VERIFICATION", "another process")
    made, reasons = optimized(load(tmp_path, RELU).relu)
    assert made.tritonopt.diff == "" and reasons == ["left-alone"]
    assert comparisons(made, *ARGUMENTS) == 0
