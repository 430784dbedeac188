"""Runs inside of the user's own command, and records every launch of some kernels.

`sitecustomize` calls `install`. From then on each launch of a kernel of the plan is described as
numbers; and, where the plan names a folder for it, the memory that the launch finds is kept there,
so that it can be made again. Nothing here may disturb the command: it sees its own launch only.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.abc
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

VARIABLE = "TRITONOPT_RECORD"
"""The environment variable that names a file with a `Plan` as JSON: it may be too long itself."""

_MOST_DIFFERENT = 2000
"""Different launches of one kernel that are recorded."""
_MOST_BYTES = 2**30
"""So many bytes of one launch are kept."""
_MOST_TOGETHER = 2**32
"""The same of all launches of a process, equal memory counted once."""


@dataclass(frozen=True)
class Plan:
    """What is recorded; travels to the command in a file."""

    kernels: Mapping[str, Sequence[str]]
    """By the real path of their file, the names of the kernels."""
    reports: str = ""
    """A directory: every process of the command writes a file of its own there."""
    memory: str = ""
    """A directory for what memory holds; "" where launches are only described."""


@functools.cache  # of commands in commands, each has a `sitecustomize`
def install() -> None:
    """Patch Triton whenever the command imports it."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    finder = _AfterTriton(Plan(**json.loads(Path(path).read_text(encoding="utf-8"))))
    sys.meta_path.insert(0, finder)
    for name in _LAUNCHING.keys() & sys.modules.keys():
        finder.executed(sys.modules[name])


_LAUNCHING = {
    "triton.runtime.jit": "KernelInterface",
    "triton.runtime.interpreter": "InterpretedFunction",
}
"""The modules that define what is launched, and the class in each."""


@dataclass(frozen=True)
class _Executing:
    """`exec_module` of a loader, and what is called afterwards."""

    execute: Callable[[ModuleType], None]
    executed: Callable[[ModuleType], None]

    def __call__(self, module: ModuleType) -> None:
        self.execute(module)
        self.executed(module)


class _AfterTriton(importlib.abc.MetaPathFinder):
    """Lets everybody else find Triton, and patches its classes each time they are made.

    A lookup proves nothing: what is looked up may be executed later, or never, or a second time.
    So the loader is what acts.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.recorder: Recorder | None = None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _LAUNCHING:
            return None
        for finder in list(sys.meta_path):
            find: Any = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None
            if finder is not self and find is not None:
                spec = find(fullname, path, target)
            if spec is not None:
                self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader: Any) -> None:
        """Have `executed` called with every module that the loader executes."""
        execute = getattr(loader, "exec_module", None)
        # One loader may serve several modules, as that of an archive does.
        if execute is not None and not isinstance(execute, _Executing):
            with contextlib.suppress(AttributeError):  # it has no place for it
                loader.exec_module = _Executing(execute, self.executed)

    def executed(self, module: ModuleType) -> None:
        """Patch the class of a module that launches."""
        kind = vars(module).get(_LAUNCHING.get(module.__name__, ""))
        if kind is None:
            return
        if self.recorder is None:
            self.recorder = Recorder(self.plan)
        self.recorder.patch(kind)


class Recorder:
    """The launches of one process of the command."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.depth = 0
        self.recorded: dict[tuple[str, str], set[str]] = {}
        """Of every file and kernel, the launches that were written down."""
        self.patched: set[type] = set()
        self.room = _MOST_TOGETHER
        name = f"{os.getpid()}.jsonl"
        self.report = (Path(plan.reports) / name).open("a", encoding="utf-8")

    def patch(self, kind: Any) -> None:
        """See what is launched through a class, or through those below it."""
        if "__getitem__" not in vars(kind) or kind in self.patched:
            return
        self.patched.add(kind)
        original = kind.__getitem__
        recorder = self

        def getitem(kernel: Any, grid: Any) -> Callable[..., Any]:
            launch = original(kernel, grid)

            def call(*args: Any, **kwargs: Any) -> Any:
                function = _function(kernel)
                path = recorder._home_of(function)
                if recorder.depth or not path:
                    return launch(*args, **kwargs)
                recorder.depth += 1
                try:
                    launched = described_launch(kernel, function, grid, args, kwargs)
                    if not recorder.plan.memory:
                        recorder._record(path, function.__name__, launched)
                        return launch(*args, **kwargs)
                    return recorder._kept(kernel, path, launched, launch, args, kwargs)
                finally:
                    recorder.depth -= 1

            return call

        kind.__getitem__ = getitem

    def _home_of(self, function: Any) -> str:
        """The file of a kernel that is recorded; "" for any other."""
        code = getattr(function, "__code__", None)
        path = "" if code is None else os.path.realpath(code.co_filename)
        return path if path and function.__name__ in self.plan.kernels.get(path, ()) else ""

    def _record(self, path: str, name: str, described: dict[str, Any]) -> None:
        """Write down a launch, if none of these sizes was; the first that is too much is told."""
        known = self.recorded.setdefault((path, name), set())
        sizes = _sizes_of(described)
        if sizes in known or len(known) > _MOST_DIFFERENT:
            return
        known.add(sizes)
        is_cut = len(known) > _MOST_DIFFERENT
        self._write(kernel=name, path=path, launch=None if is_cut else described)

    def _kept(
        self,
        kernel: Any,
        path: str,
        launched: dict[str, Any],
        launch: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Make the launch, and write it down with the memory that it found."""
        name = _function(kernel).__name__
        names = list(getattr(kernel, "arg_names", ()))
        passed = {**dict(zip(names, args, strict=False)), **kwargs}
        options = {key: value for key, value in kwargs.items() if key not in names}
        told: dict[str, Any] = {"options": {key: described(v) for key, v in options.items()}}
        why = ""
        try:
            held = self._memory([t for v in passed.values() for t in tensors_in(v)])
            told |= {"launch": _numbered(launched, [*held]), "memory": [*held.values()]}
        except (MemoryError, _NoRoom) as error:
            why = f"its memory was not kept: {str(error) or 'too little memory is free'}"
        try:
            result = launch(*args, **kwargs)
        except BaseException as error:
            why = f"a launch of the command failed ({type(error).__name__}: {str(error).strip()})"
            self._write(kernel=name, path=path, skipped=why)
            raise
        if why:
            self._write(kernel=name, path=path, skipped=why)
            return result
        told["configuration"] = _configuration(kernel, args, kwargs)
        text = json.dumps(told)
        known = self.recorded.setdefault((path, name), set())
        again = text in known
        known.add(text)
        self._write(kernel=name, path=path, **({} if again else told))
        return result

    def _memory(self, tensors: Sequence[Any]) -> dict[int, str]:
        """Keep the memory of tensors; by its address, the file that holds what was in it."""
        import torch

        found: dict[int, str] = {}
        storages = {t.untyped_storage().data_ptr(): t.untyped_storage() for t in tensors}
        if sum(s.nbytes() for s in storages.values()) > _MOST_BYTES:
            raise _NoRoom(f"it is more than {_MOST_BYTES:,} bytes")
        for address, storage in storages.items():
            flat = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
            held = memoryview(flat.cpu().numpy())
            file = Path(self.plan.memory, hashlib.blake2b(held, digest_size=16).hexdigest())
            if not file.exists():
                self.room -= len(held)
                if self.room < 0:
                    raise _NoRoom(f"that of all launches is more than {_MOST_TOGETHER:,} bytes")
                file.write_bytes(held)
            found[address] = str(file)
        return found

    def _write(self, **line: object) -> None:
        self.report.write(json.dumps(line) + "\n")
        self.report.flush()


class _NoRoom(Exception):
    """There is more memory than is kept; the message says how much is."""


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors in what a kernel is passed: itself, or in a tuple."""
    torch: Any = sys.modules.get("torch")  # a command may do without
    for part in value if isinstance(value, tuple) else (value,):
        if torch is not None and isinstance(part, torch.Tensor):
            yield part


def _numbered(launched: dict[str, Any], addresses: Sequence[int]) -> dict[str, Any]:
    """A launch with numbers in place of the addresses of memory."""

    def of(value: dict[str, Any]) -> dict[str, Any]:
        if "memory" in value:
            address, offset = value["memory"]
            return {**value, "memory": [addresses.index(address), offset]}
        return {**value, "parts": [*map(of, value["parts"])]} if "parts" in value else value

    return {**launched, "arguments": {n: of(v) for n, v in launched["arguments"].items()}}


def _configuration(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """Which of its configurations the outermost tuner of a kernel has chosen."""
    from tritonopt.verification.worker.autotuner import chosen_by, tuners_of

    return next((chosen_by(tuner, args, kwargs) for tuner in tuners_of(kernel)), 0)


def _sizes_of(described: Mapping[str, Any]) -> str:
    """A launch without where its memory is, but which tensors share it, and what is in it."""
    places: dict[int, int] = {}
    arguments = {}
    for name, value in described["arguments"].items():
        kept = {key: part for key, part in value.items() if key not in ("memory", "values")}
        if "memory" in value:
            kept["storage"] = places.setdefault(value["memory"][0], len(places))
        arguments[name] = kept
    return json.dumps({**described, "arguments": arguments}, sort_keys=True)


def described_launch(
    kernel: Any, function: Any, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """A launch as numbers, from which others like it are made."""
    from tritonopt.verification.worker.autotuner import constants

    names = list(getattr(kernel, "arg_names", ()))
    given = dict(zip(names, args, strict=False))
    given |= {key: value for key, value in kwargs.items() if key in names}
    arguments = {key: described(value) for key, value in given.items()}
    known = {**_defaults(function), **given}
    try:
        chosen = constants(kernel, args, kwargs)
    except Exception:
        # The user's own rules, called at another time than usual: no matter for the launch.
        return {"arguments": arguments, "grid": None}
    if not chosen[0]:
        return {"arguments": arguments, "grid": _sizes(grid, known)}
    tuned = [
        {
            "constants": {key: described(value) for key, value in each.items()},
            "grid": _sizes(grid, {**known, **each}),
        }
        for each in chosen
    ]
    return {"arguments": arguments, "grid": None, "tuned": tuned}


def _defaults(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def _sizes(grid: Any, given: Mapping[str, Any]) -> list[int] | None:
    """The sizes of a grid; None where it asks for what is not known here."""
    if callable(grid):
        try:
            grid = grid(given)
        except KeyError:
            return None
    return [int(n) for n in grid]


def described(value: Any) -> dict[str, Any]:
    """What is passed, as numbers: a tensor by its type, shape, strides and memory."""
    torch: Any = sys.modules.get("torch")  # a command may do without
    if torch is not None and isinstance(value, torch.Tensor):
        found = {
            "dtype": str(value.dtype).removeprefix("torch."),
            "shape": list(value.shape),
            "strides": list(value.stride()),
            "memory": [value.untyped_storage().data_ptr(), value.storage_offset()],
        }
        whole = not value.dtype.is_floating_point and value.dtype != torch.bool
        if whole and not value.dtype.is_complex and value.numel():
            found["values"] = [int(value.min()), int(value.max())]
        return found
    if isinstance(value, (bool, int, float, str, type(None))):
        return {"value": value}
    found = {"other": type(value).__name__}
    language: Any = sys.modules.get("triton.language")
    names = (n for n, own in vars(language).items() if own is value) if language else ()
    if name := next(iter(names), ""):
        return {**found, "text": f"triton.language.{name}"}
    if isinstance(value, tuple):
        parts = [described(part) for part in value]
        return {**found, "parts": parts} if all("shape" in part for part in parts) else found
    function = _function(value)
    return found if function is None else {**found, "text": function.__name__}


def _function(kernel: Any) -> Any:
    """The Python function at the end of a chain of decorators."""
    while kernel is not None and not hasattr(kernel, "__code__"):
        kernel = getattr(kernel, "fn", None)
    return kernel
