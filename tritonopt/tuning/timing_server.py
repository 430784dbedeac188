"""The worker that times: all versions of a file in one process on the GPU.

Started by `session`, which talks to it over a socket. Everything that runs somebody's code
happens here, so that a crash, a hang or a lack of memory costs one row of a table.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tritonopt.measurement.results import Compiled, Machine, Ratio, Times
from tritonopt.measurement.timing import Effort, Function
from tritonopt.tuning.calls import Call
from tritonopt.verification.worker.failures import leave_if_poisoned
from tritonopt.verification.worker.server import answer_requests

COPY = "(copy)"
"""The name of the copy among the versions that are timed."""
_COMPILED: dict[str, Any] = {}
"""What was launched, as Triton compiled it, by the digest of the machine code."""
_VERSIONED = ("torch", "triton")
"""Packages that are what they are as long as their versions are the same."""
_ON_CPU = "cpu tensor"
"""What Triton says of a tensor that was made without a device."""


@dataclass(frozen=True)
class Version:
    """One version of a file, and what of it is called."""

    name: str
    path: str
    """The original's: the module that both versions are loaded as."""
    text: str
    text_path: str
    launcher: str
    autograd: bool = False
    tuners: tuple[tuple[str, str], ...] = ()
    """Kernels, and what their tuners take without choosing; see `compiling.tuners`."""


@dataclass(frozen=True)
class First:
    """What the first call of a version showed."""

    compiled: tuple[Compiled, ...] = ()
    note: str = ""
    agrees: bool = False
    """Whether the results were compared with the first version's, and were the same."""
    chosen: tuple[tuple[str, str], ...] = ()
    """Of kernels with several configurations, the one that was taken."""


@dataclass(frozen=True)
class Timed:
    """What the runs of a call showed."""

    times: Mapping[str, Times]
    ratios: Mapping[str, Ratio]
    """Of the first version to each of the others."""
    moved: int
    copy: float | None


def serve(descriptor: int) -> None:
    """Answer requests until the other side hangs up."""
    answer_requests(descriptor, TimingServer())


class TimingServer:
    """What a worker can be asked. Method names are the requests."""

    place = "cuda"
    """Where arguments are made."""

    def __init__(self) -> None:
        self.device: Any = None
        self.launchers: dict[str, Callable[..., Any]] = {}
        self.text_paths: dict[str, str] = {}
        self.modules: dict[str, ModuleType] = {}
        self.call: Any = None
        self.arguments: dict[str, Any] = {}
        self.pristine: list[Any] | None = None
        self.returned: list[Any] = []
        self.expected: list[Any] | None = None
        self.own_modules: frozenset[str] = frozenset()
        """What was imported before any version was."""

    def probe(self) -> bool:
        """Whether there is a GPU here."""
        import torch

        return bool(torch.cuda.is_available())

    def begin(self, siblings: int = 0) -> None:
        """Get hold of the GPU, which so many other processes of ours have as well."""
        os.environ.pop("TRITON_INTERPRET", None)
        # Lines would make binaries of the same instructions differ.
        os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
        from tritonopt.measurement.cuda import CudaDevice

        self.device = CudaDevice(siblings)

    def machine(self) -> Machine:
        found: Machine = self.device.machine()
        return found

    def load(self, version: Version) -> None:
        """Load one version; another one of the same name is forgotten."""
        import torch

        from tritonopt import source
        from tritonopt.tuning.compiling.tuners import fix
        from tritonopt.verification.runs_on_import import runs_on_import
        from tritonopt.verification.worker.loading import load, unload

        self.own_modules = self.own_modules or frozenset(sys.modules)
        read = source.read(version.text, version.path)
        # What a script runs of its launchers would take its time, in every version.
        scripted = {read.text_of(statement) for statement in runs_on_import(read)}
        try:
            module: Any = load(
                Path(version.path), version.text, version.text_path, left_out=scripted
            )
        except SystemExit as end:
            raise ImportError(f"it ends the process when it is imported ({end.code!r})") from None
        # The next version is loaded as the same module.
        unload(module)
        fix(module, dict(version.tuners))
        self.modules[version.name] = module
        found: Any = functools.reduce(getattr, version.launcher.split("."), module)
        if isinstance(found, type) and issubclass(found, torch.autograd.Function):
            found = getattr(found, "apply")  # noqa: B009  # a type to mypy
        self.text_paths[version.name] = version.text_path
        self.launchers[version.name] = _by_position(found) if version.autograd else found

    def imported(self) -> str:
        """A short name for the text of all that the versions import; "" where that is nothing."""
        texts: dict[str, str] = {}
        for name, module in list(sys.modules.items()):
            path = Path(getattr(module, "__file__", None) or "")
            is_own = name in self.own_modules or name.partition(".")[0] in _VERSIONED
            if not is_own and path.suffix == ".py" and path.is_file():
                texts[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        every = "".join(f"{name} {texts[name]}\n" for name in sorted(texts))
        return hashlib.sha256(every.encode()).hexdigest()[:32] if texts else ""

    def prepare(self, call: Call) -> None:
        """Make the arguments of a call; those of the last one are given back."""
        import torch

        from tritonopt.tuning.arguments import build, bytes_of, tensors_in

        self._forget_arguments()
        self.call, self.arguments = call, build(call, self.place)
        tensors = tensors_in(self.arguments)
        free, _ = torch.cuda.mem_get_info()
        # Outputs may take as much again, in each of two versions.
        if 4 * bytes_of(tensors) < free:
            self.pristine = [t.clone() for t in tensors]

    def call_once(self, version: Version, calls: tuple[Call, ...]) -> None:
        """Compile what a version launches; nothing is kept, and what fails is left out."""
        if self.device is None:
            self.begin()
        self.load(version)
        for call in calls:
            try:
                self.prepare(call)
                self._first_called(version.name)
            except Exception as error:
                leave_if_poisoned(error)
        self._forget_arguments()

    def first(self, name: str) -> First:
        """Call a version for the first time, and compare what it gives with the first version."""
        try:
            return self._first(name)
        except Exception as error:
            leave_if_poisoned(error)
            raise

    def _first(self, name: str) -> First:
        import torch

        from tritonopt.tuning.arguments import tensors_in
        from tritonopt.tuning.compiling.tuners import chosen

        self._restore()
        # What a launcher draws itself, as a dropout does, is the same in every version.
        random.seed(0)
        torch.manual_seed(0)
        result = self._first_called(name)
        note, agrees = "", False
        if self.pristine is not None:
            found = [*tensors_in(self.arguments), *tensors_in(result)]
            if self.expected is None:
                self.expected = [t.clone() for t in found]
            else:
                try:
                    note = _difference(self.expected, found)
                    agrees = not note
                except RuntimeError as error:
                    note = f"the results could not be compared: {error}"
        self.returned = tensors_in(result)
        del result
        # Once more: an autotuner has chosen by now, and launches one configuration.
        with _compilations() as compiled:
            self._called(name)
            torch.cuda.synchronize()
        configurations = tuple(chosen(self.modules[name]).items())
        described = tuple(_described(name, each) for each in compiled)
        return First(described, note, agrees, configurations)

    def numbers(self, digests: tuple[str, ...]) -> dict[str, dict[str, int]]:
        """What machine code needs: other programs read it, and take a second for each kernel."""
        from tritonopt.verification.worker.machine_code import statistics

        return {digest: statistics(_COMPILED[digest]) for digest in digests if digest in _COMPILED}

    def time(self, names: tuple[str, ...], effort: Effort, copy: bool) -> Timed:
        """Time versions whose first call was made, in turn."""
        import torch

        from tritonopt.measurement.cuda import copying
        from tritonopt.measurement.timing import side_by_side
        from tritonopt.tuning.arguments import bytes_of, tensors_in

        moved = bytes_of([*tensors_in(self.arguments), *self.returned])
        self.pristine, self.returned, self.expected = None, [], None
        torch.cuda.empty_cache()
        functions: dict[str, Function] = {
            name: functools.partial(self._called, name) for name in names
        }
        free, _ = torch.cuda.mem_get_info()
        if copy and moved < free // 2:
            functions[COPY] = copying(moved)
        pairs = [(names[0], name) for name in names[1:]]
        samples = side_by_side(functions, self.device, effort, pairs=pairs)
        return Timed(
            {name: samples.times(name) for name in names},
            {name: samples.ratio(first, name) for first, name in pairs},
            moved,
            samples.times(COPY).median if COPY in functions else None,
        )

    def numbers_at(self, name: str, lines: tuple[int, int]) -> dict[str, int]:
        """What the names of a version stand for when it comes to these lines, from first to last.

        Only of names that are whole numbers, and the same one whenever it comes there: also in a
        second call, with tensors at other addresses.
        """
        from tritonopt.tuning.arguments import build

        first, last = lines
        found: list[dict[str, int]] = []

        def look(frame: Any, event: str, argument: object) -> Any:
            if frame.f_code.co_filename != self.text_paths[name]:
                return None
            if event == "line" and first <= frame.f_lineno <= last:
                names = frame.f_locals.items()
                found.append({key: value for key, value in names if type(value) is int})
            return look

        before, arguments = sys.gettrace(), self.arguments
        sys.settrace(look)
        try:
            self._called(name)
            if self.pristine is not None:  # there is the memory for it
                self.arguments = build(self.call, self.place)
            self._called(name)
        finally:
            sys.settrace(before)
            self.arguments = arguments
        known = found[0] if found else {}
        return {k: v for k, v in known.items() if all(other.get(k) == v for other in found)}

    def _forget_arguments(self) -> None:
        import torch

        self.arguments, self.pristine, self.returned, self.expected = {}, None, [], None
        torch.cuda.empty_cache()

    def _called(self, name: str) -> Any:
        return self.launchers[name](**self.arguments)

    def _first_called(self, name: str) -> Any:
        import torch

        try:
            result = self._called(name)
        except ValueError as error:
            if _ON_CPU not in str(error):
                raise
            # Whoever calls such a launcher has made the GPU the default.
            torch.set_default_device("cuda")
            result = self._called(name)
        torch.cuda.synchronize()
        return result

    def _restore(self) -> None:
        from tritonopt.tuning.arguments import tensors_in

        for tensor, before in zip(tensors_in(self.arguments), self.pristine or (), strict=False):
            tensor.copy_(before)


def _by_position(function: Callable[..., Any]) -> Callable[..., Any]:
    """An autograd function takes no names."""
    return lambda **arguments: function(*arguments.values())


def _difference(expected: list[Any], found: list[Any]) -> str:
    """What differs by more than rounding, or nothing."""
    import torch

    if len(expected) != len(found):
        return f"it returns {len(found)} tensors with its arguments, the original {len(expected)}"
    for one, other in zip(expected, found, strict=True):
        if one.shape != other.shape or one.dtype != other.dtype:
            return (
                f"a result is {other.dtype} {tuple(other.shape)}, the original's "
                f"{one.dtype} {tuple(one.shape)}"
            )
        if torch.equal(one, other) or not one.numel():
            continue
        if not one.is_floating_point():
            return f"results of the type {one.dtype} differ"
        tolerance = _tolerance(one.dtype)
        one, other = (t.double() if t.element_size() < 2 else t for t in (one, other))
        if not torch.equal(torch.isfinite(one), torch.isfinite(other)):
            return "inf or NaN is in other places of the results"
        scale = one.nan_to_num(0, 0, 0).abs().max().item()
        error = (one - other).nan_to_num(0, 0, 0).abs().max().item()
        if error > tolerance * max(scale, 1e-30):
            return f"the results differ by {error / max(scale, 1e-30):.1e} of the largest value"
    return ""


def _tolerance(dtype: Any) -> float:
    """Of the largest value: what differs by more is no rounding. It takes `verify` to tell more.

    Matrix products of float32 round as tf32 does.
    """
    import torch

    if dtype == torch.float64:
        return 1e-6
    return float(min(0.2, max(2e-3, 8 * torch.finfo(dtype).eps)))


@contextmanager
def _compilations() -> Iterator[list[Any]]:
    """What kernels are launched meanwhile, as Triton compiled them."""
    kind: Any = importlib.import_module("triton.runtime.jit").JITFunction
    itself: Any = importlib.import_module("triton.compiler.compiler").CompiledKernel
    usual, item = kind.run, itself.__getitem__
    found: list[Any] = []

    def keep(compiled: Any) -> Any:
        if hasattr(compiled, "asm") and all(compiled is not each for each in found):
            found.append(compiled)
        return compiled

    kind.run = lambda *args, **kwargs: keep(usual(*args, **kwargs))
    # Launchers that remember what was compiled launch that, as FlagGems does.
    itself.__getitem__ = lambda compiled, grid: item(keep(compiled), grid)
    try:
        yield found
    finally:
        kind.run, itself.__getitem__ = usual, item


def _described(version: str, compiled: Any) -> Compiled:
    target = compiled.metadata.target
    name = f"sm_{target.arch}" if target.backend == "cuda" else str(target.arch)
    binary = compiled.asm.get("cubin", compiled.asm.get("hsaco", b""))
    digest = hashlib.sha256(binary).hexdigest()
    _COMPILED[digest] = compiled
    return Compiled(version, compiled.metadata.name, name, digest=digest)
