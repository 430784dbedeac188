"""One version of the file, as a worker has it: loaded and patched."""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import sys
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from tritonopt.verification.process.compiled_programs import TARGETS
from tritonopt.verification.process.messages import VersionSpec

if TYPE_CHECKING:
    from tritonopt.verification.worker.guarded_memory import Kept


_LEFT_ALONE = ("print", "open", "input", "breakpoint", "__import__")
"""Functions of Python that programs replace for reasons of their own."""


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
        self.places = [(*place, _code(place[3])) for place in _places_of_the_tool()]
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
        for name, namespace, key, value, (function, code) in self.places:
            if namespace.get(key) is not value or (function and function.__code__ is not code):
                raise RuntimeError(f"the file changes what verifies it: {name}.{key}")

    def backend(self) -> str:
        triton: Any = importlib.import_module("triton")
        versions = f"triton {triton.__version__}, torch {self.torch.__version__}"
        if self.compiler is not None:
            return f"compile: {', '.join(TARGETS)}, {versions}"
        if self.interpreted:
            return f"interpreter: {platform.processor() or platform.machine()}, {versions}"
        return f"cuda: {self.torch.cuda.get_device_name()}, {versions}"


def _places_of_the_tool() -> Iterator[tuple[str, Mapping[str, object], str, object]]:
    """Where this package has its modules, classes and functions: in what, and under which name."""
    modules = {n: m for n, m in sys.modules.items() if n.startswith("tritonopt.verification")}
    classes: dict[type, str] = {}
    for name, module in modules.items():
        yield "sys.modules", sys.modules, name, module
        for key, value in vars(module).items():
            if isinstance(value, type):
                classes[value] = f"{name}.{key}"
                yield name, vars(module), key, value
            elif _function(value):
                yield name, vars(module), key, value
    for one, name in classes.items():
        yield from (
            (name, vars(one), key, value) for key, value in vars(one).items() if _function(value)
        )
    yield from _places_of_libraries()


def _places_of_libraries() -> Iterator[tuple[str, Mapping[str, object], str, object]]:
    """What reads results: methods of tensors, those that a file may put before them included, and
    functions that are not written in Python."""
    torch: Any = importlib.import_module("torch")
    own = vars(torch.Tensor)
    yield from (("torch.Tensor", own, key, own.get(key)) for key in dir(torch.Tensor))
    for name in ("torch", "numpy", "builtins", "gc", "struct", "json"):
        for key, value in vars(importlib.import_module(name)).items():
            if isinstance(value, BuiltinFunctionType) and key not in _LEFT_ALONE:
                yield name, vars(importlib.import_module(name)), key, value


def _function(value: object) -> FunctionType | None:
    """What runs where this is called, or read from an object."""
    function = value.fget if isinstance(value, property) else value
    function = getattr(function, "__func__", function)
    return function if isinstance(function, FunctionType) else None


def _code(value: object) -> tuple[FunctionType | None, CodeType | None]:
    """The function that runs there, and its code."""
    function = _function(value)
    return function, function.__code__ if function else None


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
