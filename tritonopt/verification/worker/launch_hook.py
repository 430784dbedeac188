"""Every kernel launch of a run is seen here, and made by the float64 copy if asked."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import torch

from tritonopt.verification.algebra.tensors import Tensors
from tritonopt.verification.process.messages import COMPILED, COMPILES, RunOptions
from tritonopt.verification.replacing import replaced
from tritonopt.verification.worker.autotuner import chosen
from tritonopt.verification.worker.guarded_memory import (
    Arena,
    extent_of,
    integer_view,
    left_alone,
    once,
)
from tritonopt.verification.worker.oracle import NotWidenable
from tritonopt.verification.worker.probes import RECORDER
from tritonopt.verification.worker.triton_interpreter.corrected import Access, in_compiled
from tritonopt.verification.worker.triton_interpreter.not_compiled import check_ranges

_MOST_ALONG = 65535


class NothingLaunched(Exception):
    """Triton would return from this launch without having run anything, and without a word."""


class GridRefused(Exception):
    """CUDA refuses this launch; the message says why. Its name is `GRID_REFUSED`."""


@dataclass(frozen=True)
class Given:
    """A tensor that a kernel was given."""

    label: str
    kernel: str
    parameter: str
    tensor: Any

    @property
    def storage(self) -> int:
        return int(self.tensor.untyped_storage().data_ptr())


@dataclass
class Session:
    """What is collected while the launcher runs."""

    arena: Arena
    access: Access
    options: RunOptions
    configuration: int = 0
    first_call: bool = False
    configurations: int = 1
    """From how many configurations an autotuner could choose."""
    widened: Callable[[str, Any, tuple[Any, ...], dict[str, Any], Any], None] | None = None
    launches: list[str] = field(default_factory=list)
    tensors: list[Given] = field(default_factory=list)
    """The tensors that kernels were given."""
    read: set[int] = field(default_factory=set)
    """Storages that the launcher's own code used after a kernel had them."""
    written: int = 0
    """How many elements kernels changed."""
    notes: list[str] = field(default_factory=list)
    caught: list[str] = field(default_factory=list)
    """Launches that failed; what ends a call is no secret, what does not was caught."""
    by_kernels: set[int] = field(default_factory=set)
    """Storages that kernels wrote, and what was computed of these."""
    inputs: set[int] = field(default_factory=set)
    """Storages of the arguments, and of what only arranges these, in a run that asks for it."""
    only_whole: bool = False
    """Whether no argument holds floats."""
    residues: Tensors | None = None
    """Of the tensors, in a run that follows them."""
    depth: int = 0

    def host_uses(self, tensor: Any) -> None:
        """The launcher's own code does something with a tensor."""
        if self.launches:
            self.read.add(tensor.untyped_storage().data_ptr())

    def compiled_launch(self, sizes: tuple[int, ...]) -> None:
        """The launch in progress has a grid of these sizes."""
        name = self.launches[-1] if self.launches else ""
        RECORDER.launched(name, (*sizes, 1, 1)[:3], ())

    def look_at(self, compiled: Any) -> None:
        """What the text of a compiled kernel says about what it may do."""
        text = getattr(compiled, "asm", {}).get("ttir", "")
        self.access.atomics |= "tt.atomic" in text
        self.access.undefined += in_compiled(text)

    def results(self, wanted: tuple[tuple[str, str], ...]) -> list[tuple[str, Any]]:
        """Of the tensors of these kernels and parameters those that nothing took up afterwards.

        What another launch or the launcher itself goes on with is an intermediate value: a
        rewrite may keep something else there, and what comes of it is seen in the end.
        """
        launches = Counter(g.storage for g in self.tensors)
        return [
            (g.label, g.tensor)
            for g in self.tensors
            if (g.kernel, g.parameter) in wanted
            and launches[g.storage] == 1
            and g.storage not in self.read
        ]


class Watch:
    """The patches on Triton, installed once per process."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.compilations: list[float] = []
        """Seconds that each compilation took, in this process."""
        jit: Any = importlib.import_module("triton.runtime.jit")
        interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        for kind in (jit.KernelInterface, interpreter.InterpretedFunction):
            if "__getitem__" in vars(kind):
                self._outer(kind)
        self._inner_interpreted(interpreter.GridExecutor, interpreter.interpreter_builder)
        self._inner_compiled(jit.JITFunction)
        self._directly(importlib.import_module("triton.compiler").CompiledKernel)
        self._compilations(jit.JITFunction)

    @contextlib.contextmanager
    def watching(self, session: Session) -> Iterator[None]:
        self.session = session
        try:
            yield
        finally:
            self.session = None

    def _outer(self, kind: Any) -> None:
        original = kind.__getitem__
        watch = self

        def getitem(kernel: Any, grid: Any) -> Callable[..., Any]:
            launch = original(kernel, grid)

            def call(*args: Any, **kwargs: Any) -> Any:
                session = watch.session
                if session is None or session.depth:
                    return launch(*args, **kwargs)
                # A wrapper that remembers a launch would not measure on a first call.
                bare = session.widened is not None or session.first_call
                run = original(_uncached(kernel), grid) if bare else launch
                session.depth += 1
                try:
                    named = {"grid": grid, "warmup": False, **kwargs}
                    configuration, first = session.configuration, session.first_call
                    with (
                        left_alone(),
                        chosen(kernel, args, named, configuration, first=first) as count,
                    ):
                        session.configurations = max(session.configurations, count)
                        return _seen(session, kernel, run, args, kwargs)
                except Exception as error:
                    session.caught.append(f"{type(error).__name__}: {error}")
                    raise
                finally:
                    session.depth -= 1

            return call

        kind.__getitem__ = getitem

    def _inner_interpreted(self, kind: Any, builder: Any) -> None:
        original = kind.__call__
        watch = self

        def call(executor: Any, *args: Any, **kwargs: Any) -> Any:
            session = watch.session
            if session is not None:
                executor.grid = _checked(executor.grid, session, lambda sizes: None)
                check_ranges(executor.fn, args, kwargs)
                if not session.options.launching:
                    return original(executor, *args, **kwargs)
            if session is None or session.widened is None:
                result = original(executor, *args, **kwargs)
                if session is not None:
                    session.access.launch_ends()  # of several that a tuner makes, each by itself
                _record(executor, args, kwargs, tuple(map(int, builder.grid_dim)))
                return result
            return _in_float64(session, executor.fn, args, kwargs, executor.grid)

        kind.__call__ = call

    def _inner_compiled(self, kind: Any) -> None:
        original = kind.run
        watch = self

        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            session = watch.session
            if session is None or warmup:
                return original(kernel, *args, grid=grid, warmup=warmup, **kwargs)
            grid = _checked(grid, session, session.compiled_launch)
            if not session.options.fusion:
                kwargs["enable_fp_fusion"] = False
            if session.widened is None:
                given = {"grid": grid, "warmup": warmup, **kwargs}
                compiled = original(kernel, *args, **given)
                session.look_at(compiled)
                return compiled
            return _in_float64(session, kernel.fn, args, kwargs, grid)

        kind.run = run

    def _directly(self, kind: Any) -> None:
        """Launches of what was compiled: wrappers keep it, and come past `JITFunction.run`."""
        original = kind.__getitem__
        watch = self

        def getitem(compiled: Any, grid: Any) -> Any:
            session = watch.session
            if session is None:
                return original(compiled, grid)
            if session.widened is not None:
                raise NotWidenable("a wrapper launches what it has compiled before")
            session.look_at(compiled)
            return original(compiled, _checked(grid, session, session.compiled_launch))

        kind.__getitem__ = getitem

    def _compilations(self, kind: Any) -> None:
        original = getattr(kind, "_do_compile", None)
        if original is None:
            return
        watch = self

        def do_compile(kernel: Any, *args: Any, **kwargs: Any) -> Any:
            os.write(1, f"\n{COMPILES}{kernel.fn.__name__}\n".encode())
            begin = time.perf_counter()
            try:
                return original(kernel, *args, **kwargs)
            finally:
                watch.compilations.append(time.perf_counter() - begin)
                os.write(1, f"\n{COMPILED}\n".encode())

        kind._do_compile = do_compile


def _in_float64(
    session: Session, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any
) -> Any:
    """The launch, made by the float64 copy; what that launches is seen as it is."""
    widened = session.widened
    assert widened is not None
    with replaced(session, "widened", None):
        return widened(function.__name__, function, args, kwargs, grid)


def _record(
    executor: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: tuple[int, ...]
) -> None:
    """Note a launch that was interpreted, the last of its programs included."""
    given = {**dict(zip(executor.arg_names, args, strict=False)), **kwargs}
    RECORDER.program_begins()
    RECORDER.launched(executor.fn.__name__, grid, map(given.get, executor.constexprs))


def _uncached(kernel: Any) -> Any:
    """The kernel without the wrappers of other libraries, which may launch what they compiled."""
    own = importlib.import_module("triton.runtime")
    while not isinstance(kernel, (own.JITFunction, own.Autotuner, own.Heuristics)):
        inner = getattr(kernel, "fn", None)
        if not isinstance(inner, own.KernelInterface):
            break
        kernel = inner
    return kernel


def _checked(grid: Any, session: Session, note: Callable[[tuple[int, ...]], None]) -> Any:
    """The grid, refused where its number of programs wraps around 32 bits to nothing, and where
    CUDA refuses it; empty in a run that launches nothing.

    Its sizes are noted as soon as they are known.
    """
    if callable(grid):
        return lambda *given, **named: _checked(grid(*given, **named), session, note)
    sizes = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
    programs = math.prod(int(n) for n in sizes)
    wrapped = (programs + 2**31) % 2**32 - 2**31
    if programs > 0 >= wrapped:
        raise NothingLaunched(
            f"a grid of {sizes} has {programs} programs, more than 32 bits count: "
            "Triton launches none of them, and says nothing"
        )
    for axis, size in zip(("second", "third"), sizes[1:], strict=False):
        if size > _MOST_ALONG:
            raise GridRefused(
                f"a grid of {sizes} has {size} programs along its {axis} axis, and CUDA launches "
                f"at most {_MOST_ALONG} there; along the first it is 2**31 - 1"
            )
    note(tuple(map(int, sizes)))
    return grid if session.options.launching else (0,) * len(sizes)


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors in an argument: itself, in a tuple, or under a descriptor."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors_in(part)
    elif isinstance(getattr(value, "base", None), torch.Tensor):
        yield value.base
    elif hasattr(value, "data_ptr"):
        # A library's own view of a tensor; Triton asks for no more than the pointer.
        yield from (part for part in vars(value).values() if isinstance(part, torch.Tensor))


def _name(kernel: Any) -> str:
    while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return cast(str, getattr(kernel, "__name__", type(kernel).__name__))


def _seen(
    session: Session,
    kernel: Any,
    launch: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    name = _name(kernel)
    order = len(session.launches)
    session.launches.append(name)
    parameters = list(getattr(kernel, "arg_names", ()))
    parameters += [f"#{i}" for i in range(len(parameters), len(args))]
    given = [*zip(parameters, args, strict=False), *kwargs.items()]
    tensors = [(p, t) for p, value in given for t in tensors_in(value)]
    for parameter, tensor in tensors:
        label = f"argument {parameter} of {name}" + (f" (launch {order + 1})" if order else "")
        session.tensors.append(Given(label, name, parameter, tensor))
    _allow(session, [t for _, t in tensors])
    if session.residues is not None:
        session.residues.begin(f"launch {order + 1} ({name})", [t for _, t in tensors])
    distinct = {(t.data_ptr(), tuple(t.shape), t.stride()): t for _, t in tensors}.values()
    before = [t.detach().clone() for t in distinct]
    with _other_inputs(session, [*distinct]):
        result = launch(*args, **kwargs)
    changed = sum(map(_changed, before, distinct))
    session.written += changed
    if session.options.work or session.options.scrambled:
        _follow_up(session, before, [*distinct])
    if changed:
        RECORDER.wrote(name)
    return result


def _changed(old: Any, new: Any) -> int:
    """How many elements are others than before."""
    if new.element_size() > 8:
        return int((old != new.detach()).sum())
    return int((integer_view(old) != integer_view(new.detach())).sum())


@contextlib.contextmanager
def _other_inputs(session: Session, tensors: list[Any]) -> Iterator[None]:
    """Let a launch see other numbers than the inputs hold, where the run asks for that."""
    stand_ins = []
    with torch.no_grad():
        for tensor in tensors if session.options.hidden else ():
            own = tensor.untyped_storage().data_ptr() in session.inputs
            floats = tensor.is_floating_point()
            whole = session.only_whole and not floats and tensor.numel() > 1
            if own and (whole or (floats and tensor.element_size() > 1)):
                held = tensor.detach().clone()
                other = 1 + 0.5 * torch.cos(held) if floats else held.flatten()[0]
                once(tensor).copy_(once(other.expand(held.shape) if whole else other))
                if whole and not _changed(held, tensor):
                    raise NotImplementedError("every number of an input is the same")
                stand_ins.append((tensor, held, tensor.detach().clone()))
        yield
        for tensor, held, shown in reversed(stand_ins):
            kept = integer_view(tensor.detach()) == integer_view(shown)
            once(tensor).copy_(once(torch.where(kept, held, tensor.detach())))


def _follow_up(session: Session, before: list[Any], after: list[Any]) -> None:
    """Note what a launch wrote; and make other numbers of it, where the run asks for that."""
    for old, new in zip(before, after, strict=True):
        if new.element_size() > 8 or not _changed(old, new):
            continue
        session.by_kernels.add(new.untyped_storage().data_ptr())
        if session.options.scrambled:
            with torch.no_grad():
                wrong = integer_view(old) != integer_view(new.detach())
                other = 0.5 * new + 1 if new.is_floating_point() else new ^ 1
                new.copy_(torch.where(wrong, other.to(new.dtype), new))


def _allow(session: Session, tensors: list[Any]) -> None:
    """Tell the interpreter which addresses belong to somebody."""
    access = session.access
    access.extents = []
    access.mapped = []
    access.owners = []
    for buffer in session.arena.buffers:
        first = buffer.first()
        access.extents.append((first, first + buffer.extent()))
        storage = buffer.base.untyped_storage()
        access.mapped.append((storage.data_ptr(), storage.data_ptr() + storage.nbytes()))
        access.owners.append(buffer.label)
    for tensor in tensors:
        if session.arena.buffer_of(tensor) is None:
            # Memory from elsewhere (a view that a library made): all of it may be used.
            storage = tensor.untyped_storage()
            whole = (storage.data_ptr(), storage.data_ptr() + storage.nbytes())
            kept = session.arena.kept_of(tensor)
            own = whole if kept is None else (kept.first, kept.first + kept.extent)
            access.extents.append(own)
            access.mapped.append(whole)
            access.owners.append("a view that the launcher made")
            continue
        access.extents.append((tensor.data_ptr(), tensor.data_ptr() + extent_of(tensor)))
