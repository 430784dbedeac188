"""Runs inside of the user's own command, and shadows every launch of the original's kernels.

`sitecustomize` calls `install`. From then on a launch of a kernel that is defined in the
original file is made three times: by the user, on the user's memory; then by the original
and by the rewritten kernel, each on a copy of the memory as it was before. What the two
leave behind is compared. Where it is the same up to rounding, the launch is made twice more,
by the original's float64 copy (see `oracle`), and the errors of both versions against that
are reported: how large they may be is judged over all launches, once the command has ended.
Nothing here may disturb the command: it sees its own launch only.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.abc
import inspect
import itertools
import json
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

VARIABLE = "TRITONOPT_SHADOW"
"""The environment variable that names a file with a `Plan` as JSON: it may be too long itself."""

_MOST_RECORDS = 200
"""Launches of one kernel that are described for generalizing; all are compared."""
_MOST_DIFFERENT = 2000
"""Different launches of one kernel that are recorded."""


@dataclass(frozen=True)
class Plan:
    """What is shadowed; travels to the command in a file."""

    path: str
    """The original file, as an absolute path."""
    kernels: str
    """The definitions of the rewritten file that a launch needs, as source."""
    names: tuple[str, ...]
    reports: str = ""
    """A directory: every process of the command writes a file of its own there."""
    fusion: bool = True
    """Whether a GPU may contract `a * b + c` in what is compared."""
    widened: str = ""
    """Source of the float64 copies of the original's kernels."""
    widened_names: tuple[str, ...] = ()
    """Kernels whose copy is as the kernel, only more exact."""
    atomic: tuple[str, ...] = ()
    """Kernels that add atomically, in one version or the other."""
    compares: bool = True
    """Whether the launches are made again and compared; else they are described only."""
    others: dict[str, list[str]] = field(default_factory=dict)
    """More files, and the kernels of each, whose launches are described."""


@functools.cache  # of commands in commands, each has a `sitecustomize`
def install() -> None:
    """Patch Triton whenever the command imports it."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    plan = Plan(**{**given, **lists})
    finder = _AfterTriton(plan)
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
        self.shadow: Shadow | None = None

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
        if self.shadow is None:
            self.shadow = Shadow(self.plan)
        self.shadow.patch(kind)


class Shadow:
    """The launches of one process of the command."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.depth = 0
        self.rewritten: dict[str, Any] | None = None
        self.oracle: Any = None
        self.described: dict[str, int] = {}
        self.recorded: dict[tuple[str, str], set[str]] = {}
        """Of every file and kernel, the launches that were written down."""
        self.patched: set[type] = set()
        self.told = False
        name = f"{os.getpid()}.jsonl"
        self.report = (Path(plan.reports) / name).open("a", encoding="utf-8")

    def patch(self, kind: Any) -> None:
        """See what is launched through a class, or through those below it."""
        if "__getitem__" not in vars(kind) or kind in self.patched:
            return
        self.patched.add(kind)
        original = kind.__getitem__
        shadow = self

        def getitem(kernel: Any, grid: Any) -> Callable[..., Any]:
            launch = original(kernel, grid)

            def call(*args: Any, **kwargs: Any) -> Any:
                function = _function(kernel)
                if shadow.depth or not shadow._is_ours(function):
                    return launch(*args, **kwargs)
                shadow.depth += 1
                try:
                    return shadow._launch(kernel, function, grid, launch, args, kwargs)
                finally:
                    shadow.depth -= 1

            return call

        kind.__getitem__ = getitem

    def _is_ours(self, function: Any) -> bool:
        code, plan = getattr(function, "__code__", None), self.plan
        if code is None:
            return False
        path = os.path.realpath(code.co_filename)
        names = plan.names if path == plan.path else plan.others.get(path, ())
        return function.__name__ in names

    def _launch(
        self,
        kernel: Any,
        function: Any,
        grid: Any,
        launch: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        name = function.__name__
        if not self.plan.compares:
            self._record(function, described_launch(kernel, function, grid, args, kwargs))
            return launch(*args, **kwargs)
        interpreted = type(kernel).__name__.startswith("Interpreted") or not _is_cuda(args, kwargs)
        self._say_backend(interpreted)
        if interpreted and _any_bfloat16(args, kwargs):
            self._write(kernel=name, skipped="Triton's interpreter gets bfloat16 wrong")
            return launch(*args, **kwargs)
        options = {} if interpreted or self.plan.fusion else {"enable_fp_fusion": False}
        try:
            names = list(getattr(kernel, "arg_names", ()))
            ours, theirs = (_Call.copied(names, args, {**kwargs, **options}) for _ in range(2))
            described = self._describe(kernel, function, grid, args, kwargs)
        except Exception as error:
            if type(error).__name__ != "OutOfMemoryError":
                raise
            self._write(kernel=name, skipped="its memory could not be copied: out of memory")
            return launch(*args, **kwargs)
        exact = self._copy_for_the_oracle(name, names, args, kwargs)
        # If the process dies, the last line says of what.
        self._write(kernel=name, skipped="the process ended in the original", begun=True)
        try:
            result = launch(*args, **kwargs)
        except BaseException as error:
            self._write(kernel=name, skipped=f"a launch of the command failed ({_say(error)})")
            raise
        difference, how = self._shadowed(kernel, function, grid, ours, theirs)
        found: dict[str, object] = {"difference": difference, "how": how}
        if how == "equivalent":
            # Should the process die of this, it is no fault of either version.
            self._write(kernel=name, skipped="the process ended in its float64 copy", begun=True)
            found |= self._measured(kernel, function, grid, ours, theirs, exact)
        self._write(kernel=name, launch=described, **found)
        return result

    def _copy_for_the_oracle(
        self, name: str, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _Call | None:
        """One more copy of the memory, where it fits and is of use."""
        if name not in self.plan.widened_names:
            return None
        try:
            return _Call.copied(names, args, kwargs)
        except Exception as error:
            if type(error).__name__ != "OutOfMemoryError":
                raise
            return None

    def _measured(
        self, kernel: Any, function: Any, grid: Any, ours: _Call, theirs: _Call, exact: _Call | None
    ) -> dict[str, object]:
        """The errors of every output against the float64 copy, or against the original."""
        from tritonopt.verification.worker.autotuner import constants
        from tritonopt.verification.worker.oracle import Oracle

        name = function.__name__
        truth: list[_Call] = []
        try:
            if exact is not None:
                if self.oracle is None:
                    module = types.SimpleNamespace(**function.__globals__)
                    self.oracle = Oracle(self.plan.widened, self.plan.widened_names, module)
                calls = [exact, _Call.copied(exact.names, exact.args, exact.kwargs)]
                (chosen,) = constants(kernel, exact.args, exact.kwargs, best=True)
                for number, call in enumerate(calls):
                    given = {**call.kwargs, **chosen}
                    self.oracle.launch(name, function, call.args, given, grid, perturbation=number)
                _synchronize()
                truth = calls
        except Exception:
            # Whatever it is, the original was compared, and stands in for its copy.
            truth = []
        return measured(ours, theirs, truth, atomics=name in self.plan.atomic)

    def _shadowed(
        self, kernel: Any, function: Any, grid: Any, ours: _Call, theirs: _Call
    ) -> tuple[str, str]:
        """What differs, or nothing; and whether what does not is so bit for bit."""
        try:
            with _as_tuned(kernel, kernel):
                kernel[grid](*ours.args, **ours.kwargs)
            _synchronize()
        except Exception as error:
            return "", f"the original fails on a copy of its memory ({_say(error)})"
        try:
            rewritten = self._rewritten(function)
            self._write(kernel=function.__name__, begun=True)
            with _as_tuned(kernel, rewritten):
                rewritten[grid](*theirs.args, **theirs.kwargs)
            _synchronize()
        except Exception as error:
            return f"only the rewritten version fails: {_say(error)}", ""
        return compare(ours, theirs)

    def _rewritten(self, function: Any) -> Any:
        """The rewritten kernel, made in the original module's names."""
        if self.rewritten is None:
            from tritonopt.verification.worker.loading import pin_source

            path = f"<the rewritten kernels of {self.plan.path}>"
            pin_source(path, self.plan.kernels)
            # A namespace of its own: the original module keeps what it has. No other
            # statement of the rewritten file runs, so nothing is registered twice.
            self.rewritten = dict(function.__globals__)
            code = compile(self.plan.kernels, path, "exec", dont_inherit=True)
            exec(code, self.rewritten)
        return self.rewritten[function.__name__]

    def _record(self, function: Any, described: dict[str, Any]) -> None:
        """Write down a launch, if none of these sizes was; the first that is too much is told."""
        name, path = function.__name__, os.path.realpath(function.__code__.co_filename)
        known = self.recorded.setdefault((path, name), set())
        sizes = _sizes_of(described)
        if sizes in known or len(known) > _MOST_DIFFERENT:
            return
        known.add(sizes)
        is_cut = len(known) > _MOST_DIFFERENT
        self._write(kernel=name, path=path, launch=None if is_cut else described)

    def _describe(
        self, kernel: Any, function: Any, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any] | None:
        """The launch as numbers, where not enough of them are described by now."""
        name = function.__name__
        if self.described.get(name, 0) >= _MOST_RECORDS:
            return None
        self.described[name] = self.described.get(name, 0) + 1
        return described_launch(kernel, function, grid, args, kwargs)

    def _say_backend(self, interpreted: bool) -> None:
        if self.told:
            return
        self.told = True
        import torch

        triton: Any = importlib.import_module("triton")
        where = "interpreter" if interpreted else f"cuda: {torch.cuda.get_device_name()}"
        self._write(backend=f"{where}, triton {triton.__version__}, torch {torch.__version__}")

    def _write(self, **line: object) -> None:
        self.report.write(json.dumps(line) + "\n")
        self.report.flush()


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
    return {"other": type(value).__name__}


@dataclass
class _Call:
    """The arguments of a launch, on a copy of the memory; what shared memory shares its copy."""

    names: list[str]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    tensors: list[tuple[str, Any]] = field(default_factory=list)
    storages: dict[int, Any] = field(default_factory=dict)

    @staticmethod
    def copied(names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        call = _Call(names)
        call.args = tuple(call.copy_of(n, value) for n, value in zip(names, args, strict=False))
        call.kwargs = {key: call.copy_of(key, value) for key, value in kwargs.items()}
        return call

    def copy_of(self, label: str, value: Any) -> Any:
        import torch

        if isinstance(value, tuple):
            return tuple(self.copy_of(f"{label}[{at}]", part) for at, part in enumerate(value))
        if not isinstance(value, torch.Tensor):
            return value
        with torch.no_grad():
            storage = value.untyped_storage()
            if storage.data_ptr() not in self.storages:
                self.storages[storage.data_ptr()] = storage.clone()
            copy = torch.empty(0, dtype=value.dtype, device=value.device)
            own = self.storages[storage.data_ptr()]
            copy.set_(own, value.storage_offset(), value.shape, value.stride())
        self.tensors.append((label, copy))
        return copy


def compare(ours: _Call, theirs: _Call) -> tuple[str, str]:
    """The first difference that no rounding excuses, as text, or none; and how the rest agrees."""
    from tritonopt.verification.comparison.compare import Pair, exact_parts_differ
    from tritonopt.verification.process.messages import same_bits

    if unknown := _differing_unknown(ours, theirs):
        return "", f"memory of {unknown} differs, in which rounding cannot be told from mistakes"
    one, other = (_outcome(c, atomics=False) for c in (ours, theirs))
    if all(same_bits(a, b).all() for a, b in zip(one.outputs, other.outputs, strict=True)):
        return "", "identical"
    difference = exact_parts_differ(Pair(one, one), Pair(other, other))
    return ("", "equivalent") if difference is None else (str(difference), "")


def measured(
    ours: _Call, theirs: _Call, exact: Sequence[_Call], *, atomics: bool
) -> dict[str, object]:
    """What is finite in one version only, and how large the errors of every output are.

    `exact` is what the float64 copy left behind, and the same on perturbed inputs; or nothing.
    """
    from tritonopt.verification.comparison.compare import Pair, measure

    one, other = (_outcome(c, atomics=atomics) for c in (ours, theirs))
    truth, perturbed = (_outcome(c, atomics=False) for c in exact) if exact else (None, None)
    difference, measures = measure(Pair(one, one), Pair(other, other), truth, perturbed)
    lines = [{**asdict(found), "difference": str(found.difference)} for found in measures]
    found: dict[str, object] = {"measures": lines, "oracle": truth is not None}
    return found if difference is None else {**found, "difference": str(difference)}


def _outcome(call: _Call, *, atomics: bool) -> Any:
    from tritonopt.verification.process.messages import Outcome

    return Outcome(outputs=tuple(_outputs(call)), atomics=atomics)


def _differing_unknown(ours: _Call, theirs: _Call) -> str:
    """A type for which there is no tolerance, if memory of that type differs at all."""
    import torch

    from tritonopt.verification.worker.guarded_memory import COMPARED

    for (_, one), (_, other) in zip(ours.tensors, theirs.tensors, strict=True):
        if one.dtype not in COMPARED:
            left, right = (_bytes_of(t) for t in (one, other))
            if not torch.equal(left, right):
                return str(one.dtype)
    return ""


def _bytes_of(tensor: Any) -> Any:
    import torch

    flat = torch.empty(0, dtype=torch.uint8, device=tensor.device)
    return flat.set_(tensor.untyped_storage())


def _outputs(call: _Call) -> Iterator[Any]:
    """Every copied memory, whole, under the name of the first argument that lies in it."""
    import torch

    from tritonopt.verification.process.messages import Output
    from tritonopt.verification.worker.guarded_memory import COMPARED, integer_view

    seen: set[int] = set()
    for label, tensor in call.tensors:
        key = tensor.untyped_storage().data_ptr()
        if key in seen or tensor.dtype not in COMPARED:
            continue
        seen.add(key)
        flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        flat.set_(tensor.untyped_storage())
        shape = tuple(tensor.shape) if flat.numel() == tensor.numel() else (flat.numel(),)
        bits = integer_view(flat.cpu()).numpy()
        bits = bits.view(f"u{bits.dtype.itemsize}")
        yield Output(label, COMPARED[tensor.dtype], shape, bits)


@contextlib.contextmanager
def _as_tuned(original: Any, kernel: Any) -> Iterator[None]:
    """Let `kernel` take the configuration that the original's tuner has chosen."""
    from tritonopt.verification.replacing import replaced
    from tritonopt.verification.worker.autotuner import tuners_of

    with contextlib.ExitStack() as stack:
        for tuned, tuner in itertools.zip_longest(tuners_of(original), tuners_of(kernel)):
            best = getattr(tuned, "best_config", None)
            if tuner is None or best is None:
                continue
            at = next((i for i, c in enumerate(tuned.configs) if c is best), 0)
            config = tuner.configs[at] if at < len(tuner.configs) else best
            stack.enter_context(replaced(tuner, "configs", [config]))
        yield


def _function(kernel: Any) -> Any:
    """The Python function at the end of a chain of decorators."""
    while kernel is not None and not hasattr(kernel, "__code__"):
        kernel = getattr(kernel, "fn", None)
    return kernel


def _tensors(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    return [value for value in (*args, *kwargs.values()) if hasattr(value, "data_ptr")]


def _is_cuda(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return any(getattr(t.device, "type", "") == "cuda" for t in _tensors(args, kwargs))


def _any_bfloat16(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return any(str(t.dtype) == "torch.bfloat16" for t in _tensors(args, kwargs))


def _synchronize() -> None:
    import torch

    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _say(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).strip()}"
