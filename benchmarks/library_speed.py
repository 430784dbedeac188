"""A library before and after a rewrite, at the calls that its own benchmark makes, on a GPU.

    PYTHONPATH=. python benchmarks/library_speed.py BEFORE AFTER [--out FILE] -- PROGRAM [ARG...]

BEFORE is a folder from which PROGRAM (a file, or `-m MODULE`) imports the library, AFTER a copy of
it that `tritonopt rewrite --write` changed. The program runs once, with `triton.testing.do_bench`
turned into a single call. Every call that enters one of the changed files from outside and launches
a kernel that was changed, or whose launches were, is noted: the function, and what it was given.
Where a call cannot be repeated (it takes an autograd context, say), those inside of it are noted
instead. Then each is made again by both versions, in turn, each after the L2 cache was flushed, and
the results are compared.

Reported are medians, and the ratio original / rewritten of neighboring runs with its 10th and
90th percentile; losses are listed first. Calls that were not made again are named.

Needs torch, triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import importlib.util
import math
import runpy
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import torch
import triton

from benchmarks.side_by_side import machine, ratios, tensors, timed, write_report

LARGEST = 2**31
"""Bytes of all arguments beyond which a call is not kept."""
LARGEST_TOGETHER = 2**35
"""Bytes of the arguments of all calls that are kept."""


@dataclass(eq=False)
class Call:
    """A call from outside into a changed file."""

    function: FunctionType
    path: Path
    qualname: str
    arguments: dict[str, Any]
    reaches: set[str] = field(default_factory=set)
    """Changed functions and kernels that ran in it."""

    @property
    def signature(self) -> str:
        return f"{self.qualname}({', '.join(map(described, self.arguments.values()))})"


def described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        dense = "" if value.is_contiguous() else f" strides {list(value.stride())}"
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}{dense}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(described, value))}]"
    return repr(value)[:40]


def changed_functions(before: Path, after: Path) -> set[str]:
    """Top-level functions and methods whose code differs between two files."""

    def codes(path: Path) -> dict[str, str]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return dict(_functions(tree, ""))

    old, new = codes(before), codes(after)
    return {name for name in old if old[name] != new.get(name)}


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            name = f"{prefix}{child.name}"
            if isinstance(child, ast.FunctionDef):
                yield name, ast.dump(child)
            else:
                yield from _functions(child, f"{name}.")


class Recorder:
    """Notes the calls of a running program; a profile function for `sys.setprofile`."""

    def __init__(self, before: Path, after: Path, most: int) -> None:
        self.most = most
        """Calls that are kept for one function."""
        self.changed: dict[str, set[str]] = {}
        for path in sorted(before.rglob("*.py")):
            other = after / path.relative_to(before)
            if other.exists() and path.read_bytes() != other.read_bytes():
                self.changed[str(path)] = changed_functions(path, other)
        self.calls: dict[str, Call] = {}
        self.left: dict[str, str] = {}
        self._held = 0
        self._open: list[tuple[FrameType, Call]] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        try:
            if event == "call":
                self._enter(frame)
            elif event == "return" and self._open and self._open[-1][0] is frame:
                _, call = self._open.pop()
                if call.reaches:
                    self._keep(call)
        except Exception as error:  # Python would take the profile function away, and say nothing
            self.left[frame.f_code.co_qualname] = f"{type(error).__name__}: {error}"

    def _enter(self, frame: FrameType) -> None:
        code = frame.f_code
        names = self.changed.get(code.co_filename)
        if names is not None:
            if not self._open and "<" not in code.co_qualname:
                call = self._noted(frame)
                if call is not None:
                    self._open.append((frame, call))
            self._reach(code.co_qualname, names)
        elif self._open and code.co_name in ("run", "__getitem__"):
            kernel = frame.f_locals.get("self")
            while isinstance(kernel, triton.runtime.KernelInterface):
                kernel = getattr(kernel, "fn", None)
            if isinstance(kernel, FunctionType):
                names = self.changed.get(kernel.__code__.co_filename, set())
                self._reach(kernel.__qualname__, names)

    def _reach(self, qualname: str, changed: set[str]) -> None:
        if self._open and qualname in changed:
            self._open[-1][1].reaches.add(qualname)

    def _noted(self, frame: FrameType) -> Call | None:
        code = frame.f_code
        function = found(frame.f_globals, code.co_qualname)
        count = code.co_argcount + code.co_kwonlyargcount
        flags = code.co_flags & (0x04 | 0x08)
        if not isinstance(function, FunctionType) or function.__code__ is not code or flags:
            self.left[code.co_qualname] = "is no plain function of its module"
            return None
        names = code.co_varnames[:count]
        arguments = {name: frame.f_locals[name] for name in names}
        try:
            for value in arguments.values():
                check_repeatable(value)
        except TypeError as error:
            self.left[code.co_qualname] = str(error)
            return None
        return Call(function, Path(code.co_filename), code.co_qualname, arguments)

    def _keep(self, call: Call) -> None:
        of_function = [c for c in self.calls.values() if c.qualname == call.qualname]
        if call.signature in self.calls or len(of_function) >= self.most:
            return
        held = sum(t.numel() * t.element_size() for t in tensors(list(call.arguments.values())))
        if held > LARGEST or self._held + held > LARGEST_TOGETHER:
            self.left[call.signature] = "is too large to be kept"
            return
        self._held += held
        call.arguments = {name: detached(value) for name, value in call.arguments.items()}
        self.calls[call.signature] = call


def found(names: dict[str, Any], qualname: str) -> Any:
    """The function of that qualified name, below its decorators."""
    first, *rest = qualname.split(".")
    value = names.get(first)
    for name in rest:
        value = vars(value).get(name) if isinstance(value, type) else None
    if isinstance(value, staticmethod):
        value = value.__func__
    while isinstance(value, FunctionType) and hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value


def check_repeatable(value: Any) -> None:
    """Raises TypeError for what cannot be handed over again."""
    plain = (int, float, complex, str, bool, type(None), torch.dtype, torch.device, FunctionType)
    if isinstance(value, (list, tuple)):
        for part in value:
            check_repeatable(part)
    elif not isinstance(value, (*plain, torch.Tensor, torch.Generator)):
        raise TypeError(f"takes a {type(value).__name__}")


def detached(value: Any) -> Any:
    """A copy that holds no graph."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone(memory_format=torch.preserve_format)
    if isinstance(value, (list, tuple)):
        return type(value)([detached(part) for part in value])
    return value


@functools.cache
def rewritten_module(path: Path, name: str, package: str) -> ModuleType:
    """The changed file, as one more module of the package of the original."""
    spec = importlib.util.spec_from_file_location(f"{name}__rewritten", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__package__ = package
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def measured(call: Call, before: Path, after: Path, runs: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "file": str(call.path.relative_to(before)),
        "call": call.signature,
        "changed": sorted(call.reaches),
    }
    original = sys.modules[call.function.__module__]
    module = rewritten_module(
        after / call.path.relative_to(before), original.__name__, original.__package__ or ""
    )
    versions: dict[str, Callable[[], Any]] = {}
    results: dict[str, list[torch.Tensor]] = {}
    for name, names in (("original", vars(original)), ("rewritten", vars(module))):
        function = found(names, call.qualname)
        arguments = copy.deepcopy(call.arguments)
        torch.manual_seed(0)
        returned = function(**arguments)
        results[name] = [*tensors(returned), *tensors(list(arguments.values()))]
        versions[name] = functools.partial(function, **arguments)
    row["difference"] = difference(results["original"], results["rewritten"])
    results.clear()
    times = timed(versions, runs)
    row["median_us"] = {name: statistics.median(took) for name, took in times.items()}
    return {**row, **ratios(times["original"], times["rewritten"])}


def difference(original: list[torch.Tensor], rewritten: list[torch.Tensor]) -> float:
    """The largest difference, as a share of the largest value of its tensor."""
    largest = 0.0
    for one, other in zip(original, rewritten, strict=True):
        if one.numel() == 0:
            continue
        left, right = (t.detach().to(torch.complex128 if t.is_complex() else torch.float64).abs()
                       for t in (one, other))  # fmt: skip
        left, right = left.nan_to_num(), right.nan_to_num()
        scale = left.max().item() or 1.0
        largest = max(largest, (left - right).abs().max().item() / scale)
    return largest


def run_program(words: list[str], recorder: Recorder) -> None:
    """Run the program to its end, whatever it does there."""
    measure = triton.testing.do_bench

    def call_once(fn: Callable[[], Any], *rest: Any, **options: Any) -> Any:
        if options.get("quantiles") is not None:
            return measure(fn, *rest, **options)  # an autotuner chooses
        sys.setprofile(recorder)  # whatever the program has done to it
        fn()
        return 1.0

    triton.testing.do_bench = call_once
    is_module = words[0] == "-m"
    sys.argv = words[1:] if is_module else words
    sys.path.insert(0, "")
    sys.setprofile(recorder)
    try:
        # Backward functions run in this thread then, which is the only one that is watched.
        with torch.autograd.set_multithreading_enabled(False):
            if is_module:
                runpy.run_module(words[1], run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(words[0], run_name="__main__")
    except SystemExit as error:
        print(f"the program ended with {error.code}")
    finally:
        sys.setprofile(None)
        triton.testing.do_bench = measure


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--runs", type=int, default=20, help="timed runs of each version (20)")
    parser.add_argument("--most", type=int, default=8, help="calls of one function (8)")
    parser.add_argument("--budget", type=float, default=400, help="seconds for timing (400)")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options, program = parser.parse_args(words[:end]), words[end + 1 :]
    if not program:
        parser.error("say which program to run, after --")
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device")
    before, after = options.before.resolve(), options.after.resolve()
    recorder = Recorder(before, after, options.most)
    if not recorder.changed:
        raise SystemExit(f"no file of {after} differs from {before}")
    print(f"{len(recorder.changed)} files differ")
    run_program(program, recorder)
    rows = []
    deadline = time.monotonic() + options.budget
    for call in recorder.calls.values():
        if time.monotonic() > deadline:
            recorder.left[call.signature] = "was not reached in time"
            continue
        try:
            row = measured(call, before, after, options.runs)
        except Exception:
            row = {"file": call.path.name, "call": call.signature, "failed": traceback.format_exc()}
            print("failed:", call.signature, row["failed"].splitlines()[-1], flush=True)
        rows.append(row)
    report(rows, recorder, options.out)


def report(rows: list[dict[str, Any]], recorder: Recorder, out: Path | None) -> None:
    done = sorted((row for row in rows if "ratio" in row), key=lambda row: row["ratio"])
    for row in done:
        spread = f"[{row['ratio_p10']:.2f} .. {row['ratio_p90']:.2f}]"
        took = f"{row['median_us']['original']:9.1f} us"
        print(f"{row['ratio']:.3f}x {spread:16} {took} diff {row['difference']:.1e}  {row['call']}")
    reached = {name for call in recorder.calls.values() for name in call.reaches}
    for path, names in recorder.changed.items():
        print(f"{path}: {len(names & reached)} of {len(names)} changed functions reached")
    for name, why in recorder.left.items():
        print(f"left out: {name[:120]}: {why}")
    mean = math.exp(statistics.fmean(math.log(row["ratio"]) for row in done)) if done else math.nan
    failed = sum("failed" in row for row in rows)
    print(f"{len(done)} calls, geometric mean {mean:.3f}x, {failed} failed")
    write_report(
        {
            "benchmark": "library_speed",
            **machine(),
            "geometric_mean": mean,
            "results": rows,
            "left_out": recorder.left,
        },
        out,
    )


if __name__ == "__main__":
    main()
