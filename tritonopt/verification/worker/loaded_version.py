"""One version of the file, as a worker has it: loaded and patched."""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter, is_
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from tritonopt.verification.process.compiled_programs import TARGETS
from tritonopt.verification.process.messages import VersionSpec

if TYPE_CHECKING:
    from tritonopt.verification.worker.guarded_memory import Kept


class LoadedVersion:
    """One version of the file, loaded and patched."""

    def __init__(self, spec: VersionSpec) -> None:
        from pathlib import Path

        import torch

        from tritonopt.verification.worker.launch_hook import Watch
        from tritonopt.verification.worker.loading import import_what_is_read, imported, load
        from tritonopt.verification.worker.oracle import Oracle
        from tritonopt.verification.worker.probes import install, instrumented
        from tritonopt.verification.worker.triton_interpreter.corrected import Interpreter
        from tritonopt.verification.worker.triton_interpreter.pretended_gpu import OnTheCpu

        self.torch = torch
        self.spec = spec
        self.interpreted = spec.backend == "interpreter"
        self.device = "cuda" if spec.backend == "cuda" else "cpu"
        self.compiler = None
        self.defaults_to_gpu = False
        self.given_back: dict[int | None, Any] = {}
        """What the last call returned, by its memory."""
        self.kept: list[Kept] = []
        """Memory of earlier calls that something still holds."""
        self.opened: list[str] = []
        """How the rewritten version opened the original's file."""
        _prepare(torch, spec)
        if spec.backend == "compile":
            from tritonopt.verification.worker.compiling import Compiler

            self.compiler = Compiler()
        install()
        if spec.title == "rewritten" and spec.path != spec.text_path:
            sys.addaudithook(partial(_audited, self.opened, spec.path))
        import_what_is_read(spec.text)
        self.tool = [*_parts_of_the_tool()]
        self.watch = Watch()
        self.interpreter = Interpreter() if self.interpreted else None
        with OnTheCpu() if self.device == "cpu" else contextlib.nullcontext():
            self.module = load(
                Path(spec.path),
                spec.text,
                spec.text_path,
                # Triton compiles the text that stands in the file, which has no probes.
                partial(instrumented, path=spec.text_path, watched=spec.watched)
                if self.compiler is None
                else str,
                spec.left_out,
            )
        self.check_tool()
        self.oracle = Oracle(spec.widened, spec.widened_names, self.module)
        home = imported(Path(spec.home)) if spec.home else self.module
        self.launcher = _launcher(torch, home, spec.launcher)
        self.refused: dict[int, str] = {}
        """Lines of kernels that the compiler does not take, and why."""
        if self.interpreted:
            from tritonopt.source.parsing import parsed
            from tritonopt.verification.worker.triton_interpreter.not_compiled import refused_lines

            self.refused = refused_lines(parsed(spec.text), self.module)

    def check_tool(self) -> None:
        """Raise RuntimeError where the file has changed a function that watches it."""
        for part in self.tool:
            if (changed := part.changed()) is not None:
                raise RuntimeError(f"the file changes what verifies it: {part.name}.{changed}")

    def backend(self) -> str:
        triton: Any = importlib.import_module("triton")
        versions = f"triton {triton.__version__}, torch {self.torch.__version__}"
        if self.compiler is not None:
            return f"compile: {', '.join(TARGETS)}, {versions}"
        if self.interpreted:
            return f"interpreter: {platform.processor() or platform.machine()}, {versions}"
        return f"cuda: {self.torch.cuda.get_device_name()}, {versions}"


@dataclass(frozen=True)
class _Part:
    """What a module or a class of this package has under some of its names."""

    name: str
    namespace: Mapping[str, object]
    held: Mapping[str, object]
    functions: Mapping[str, FunctionType] = field(init=False)
    codes: tuple[CodeType, ...] = field(init=False)

    def __post_init__(self) -> None:
        found = {key: f for key, value in self.held.items() if (f := _function(value))}
        object.__setattr__(self, "functions", found)
        object.__setattr__(self, "codes", (*map(_CODE, found.values()),))

    def changed(self) -> str | None:
        """The name under which something else stands now; it is asked for after each call."""
        same = map(is_, map(self.namespace.get, self.held), self.held.values())
        if all(same) and all(map(is_, map(_CODE, self.functions.values()), self.codes)):
            return None
        others = (key for key, value in self.held.items() if self.namespace.get(key) is not value)
        changed = zip(self.functions.items(), self.codes, strict=True)
        return next(others, None) or next(k for (k, f), code in changed if _CODE(f) is not code)


_CODE = attrgetter("__code__")


def _parts_of_the_tool() -> Iterator[_Part]:
    """The modules and classes of this package, and their functions."""
    modules = {n: m for n, m in sys.modules.items() if n.startswith("tritonopt.verification")}
    yield _Part("sys.modules", sys.modules, modules)
    classes: dict[type, str] = {}
    for name, module in modules.items():
        own = vars(module)
        held = {k: v for k, v in own.items() if isinstance(v, type) or _function(v)}
        classes |= {v: f"{name}.{k}" for k, v in held.items() if isinstance(v, type)}
        yield _Part(name, own, held)
    for one, name in classes.items():
        yield _Part(name, vars(one), {k: v for k, v in vars(one).items() if _function(v)})


def _function(value: object) -> FunctionType | None:
    """What runs where this is called, or read from an object."""
    function = value.fget if isinstance(value, property) else value
    function = getattr(function, "__func__", function)
    return function if isinstance(function, FunctionType) else None


def _audited(opened: list[str], path: str, event: str, arguments: tuple[Any, ...]) -> None:
    """Note where a file is opened; the hook is there until the process ends."""
    if event == "open" and arguments and isinstance(arguments[0], (str, bytes)):
        name = os.fsdecode(arguments[0])
        if os.path.basename(name) == os.path.basename(path) and os.path.realpath(name) == path:
            opened.append(f"{name} (mode {arguments[1]})")


def _prepare(torch: Any, spec: VersionSpec) -> None:
    """Patch what the file is about to import, as the backend needs it."""
    warnings.filterwarnings("ignore")
    from tritonopt.verification.worker.probes import install_in_kernels
    from tritonopt.verification.worker.triton_interpreter import (
        libdevice,
        logic,
        usual_operands,
    )
    from tritonopt.verification.worker.triton_interpreter.pretended_gpu import (
        pass_for_compiled,
        pretend_gpu,
        with_few_multiprocessors,
        with_generator,
    )

    if spec.backend == "interpreter":
        torch.set_num_threads(1)
        pretend_gpu(torch)
        with_generator(torch)
        pass_for_compiled()
        libdevice.install()
        logic.install()
        usual_operands.install()
        install_in_kernels(spec.text_path)
    if spec.backend == "cuda":
        # What torch itself does in no fixed order would be taken for a race.
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False
        with_few_multiprocessors(torch)


def _launcher(torch: Any, module: Any, name: str) -> Any:
    """What a module calls by a dotted name."""
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    if isinstance(found, type) and issubclass(found, torch.autograd.Function):
        return getattr(found, "apply")  # noqa: B009  # a type to mypy
    return found
