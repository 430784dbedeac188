"""Interpreted kernels that pass for compiled ones.

Libraries wrap kernels in launchers of their own that ask for a `JITFunction`: for its
parameters, its cache key, and for the compiled kernel that `run` returns, which they
launch again. Triton's interpreter gives them something else, and they fail on import.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np


def install() -> None:
    """Let `triton.jit` make interpreted kernels that are JITFunctions as well."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    jit: Any = importlib.import_module("triton.runtime.jit")
    language: Any = importlib.import_module("triton.language")
    interpreted = interpreter.InterpretedFunction
    if issubclass(interpreted, jit.JITFunction):
        return

    class InterpretedKernel(interpreted, jit.JITFunction):  # type: ignore[misc, valid-type]  # Any
        # The interpreter's is a property without a setter; JITFunction assigns it.
        __name__ = ""

        def __init__(self, function: Callable[..., Any], **options: Any) -> None:
            jit.JITFunction.__init__(self, function, **options)
            interpreted.__init__(self, function, **options)
            self.__name__ = function.__name__
            # The interpreter wants to find the language in every file that has a kernel.
            function.__globals__.setdefault("_triton_language", language)

        @property
        def cache_key(self) -> str:
            # Triton's looks into the helpers, and refuses those of its own library that are bound
            # to a name: they were interpreted before this. Nothing is compiled under the key.
            text = f"{self.src}{self.starting_line_number}"
            return hashlib.sha256(text.encode()).hexdigest()

        def rewrite(self) -> Any:
            _look_up_late(self.fn.__globals__, language)
            function = interpreted.rewrite(self)
            notes = getattr(function, "__annotations__", {})
            notes.update({n: "constexpr" for n, note in notes.items() if _is_constexpr(note)})
            return function

        def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            ones = {p.name for p in self.params if _is_specialized(p)}
            passed = [_One(1) if p.name in ones and _is_one(a) else a
                      for p, a in zip(self.params, args, strict=False)]  # fmt: skip
            named = {n: _One(1) if n in ones and _is_one(a) else a for n, a in kwargs.items()}
            interpreted.run(self, *passed, *args[len(passed) :], grid=grid, warmup=warmup, **named)
            return _Launchable(self, args, kwargs)

    interpreter.InterpretedFunction = InterpretedKernel
    # Compiled, a type that is passed to a helper is a constant with a `value`.
    language.dtype.value = property(lambda dtype: dtype)
    interpreter._implicit_cvt = _converting_numbers(interpreter)
    # Everything is on the CPU: there is nothing to copy there and back, and what only
    # has a `data_ptr` and a `dtype` (a view that a library made) could not be copied.
    interpreter.GridExecutor._init_args_hst = lambda executor, args, named: (list(args), named)
    interpreter.GridExecutor._restore_args_dev = lambda executor, *arguments: None


def _look_up_late(names: dict[str, Any], language: Any) -> None:
    """Other names for functions of the language (`exp = tl.exp`) mean what it has during a launch.

    The interpreter replaces these in the language alone, as long as a launch lasts.
    """
    for name, value in list(names.items()):
        if language.core.is_builtin(value) and hasattr(language, value.__name__):
            names[name] = _late(language, value.__name__)


def _late(language: Any, name: str) -> Callable[..., Any]:
    return lambda *args, **kwargs: getattr(language, name)(*args, **kwargs)


class _One(int):
    """An argument that is a constant to the compiler, for it is 1."""


def _is_one(argument: object) -> bool:
    return type(argument) is int and argument == 1


def _is_specialized(parameter: Any) -> bool:
    """Whether the compiler makes a constant of this argument where it is 1."""
    return not (parameter.is_constexpr or parameter.do_not_specialize or parameter.annotation_type)


def _is_constexpr(annotation: object) -> bool:
    """Whether the compiler takes it for `constexpr`, under whichever name of the language.

    The interpreter compiles a kernel's text again, with all annotations as text; one that was
    quoted before is then quoted twice.
    """
    if not isinstance(annotation, str):
        return getattr(annotation, "__name__", "") == "constexpr"
    return annotation.strip(" '\"").rpartition(".")[2] == "constexpr"


def _converting_numbers(interpreter: Any) -> Callable[[Any], Any]:
    """A float that is passed to a kernel is a float32 there (`scale.to(...)`), not Python's.

    A flag is a number of one bit, which the interpreter's own conversion makes one of 32. And a 1
    that the compiler makes a constant of stays a number of Python.
    """
    language: Any = importlib.import_module("triton.language")
    original = interpreter._implicit_cvt
    kinds = (bool, np.bool_, language.int1), (float, np.float32, language.float32)

    def convert(argument: Any) -> Any:
        if type(argument) is _One:
            return 1
        for python, data, kind in kinds:
            if isinstance(argument, python):
                handle = interpreter.TensorHandle(np.array([argument], data), kind)
                return language.tensor(handle, kind)
        return original(argument)

    return convert


class _Launchable:
    """What `run` returns: launched again, it takes the arguments that are not constants."""

    def __init__(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        given = {**dict(zip(kernel.arg_names, args, strict=False)), **kwargs}
        self.kernel = kernel
        self.runtime = [p.name for p in kernel.params if not p.is_constexpr]
        self.constants = {
            p.name: given[p.name] for p in kernel.params if p.is_constexpr and p.name in given
        }

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any) -> Any:
            # Some pass every argument, some leave the constants out.
            names = self.runtime if len(args) == len(self.runtime) else self.kernel.arg_names
            given = dict(zip(names, args, strict=False))
            return self.kernel[grid](**{**self.constants, **given})

        return launch
