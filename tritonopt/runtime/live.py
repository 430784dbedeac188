"""Kernel functions as they are in a running program: what is inside of them, and its text."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from triton.language import constexpr
from triton.runtime import JITFunction

from tritonopt.source.parsing import parsed

ORIGINAL = "_tritonopt_original"
"""The attribute of a kernel that was made from another one, which it holds."""


class SourceUnavailable(Exception):
    """The text of a kernel cannot be read, so there is nothing to rewrite."""


def parse(text: str, path: str = "<string>") -> ast.Module:
    """The syntax tree of text that Python has read before, and warned of if there was need."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parsed(text, path)


def is_jit_function(value: Any) -> bool:
    """Whether it is what `@triton.jit` makes: a JITFunction, an InterpretedFunction.

    The interpreter needs numpy, which Triton does not: without one, there is nothing of its.
    """
    if isinstance(value, JITFunction):
        return True
    interpreter = sys.modules.get("triton.runtime.interpreter")
    return interpreter is not None and isinstance(value, interpreter.InterpretedFunction)


_MOST_WRAPPERS = 20


def chain_of(kernel: Any) -> list[Any]:
    """What is around the function that Triton compiles, outermost first, and that one last.

    Autotuners, heuristics and the wrappers of other libraries hold the next one in `.fn`.
    Raises TypeError for what is no kernel.
    """
    chain = [kernel]
    while not is_jit_function(chain[-1]):
        inner = getattr(chain[-1], "fn", None)
        # A mock has another one in any attribute, without an end.
        if inner is None or inspect.isroutine(inner) or len(chain) > _MOST_WRAPPERS:
            raise TypeError(
                f"optimize takes a function under @triton.jit, or a wrapper with such a function "
                f"in .fn; {kernel!r} is neither. As a decorator it stands above @triton.jit"
            )
        chain.append(inner)
    return chain


@dataclass(frozen=True, eq=False)
class Live:
    """The Python function of a kernel, and the text that Triton makes it from."""

    function: FunctionType
    path: str
    """As Python names the file, which may be none: "<ipython-input-1>"."""
    first: int
    """The line of the file where `lines` begin, at the first decorator."""
    lines: tuple[str, ...]
    """Decorators and definition as in the file, but for the indentation."""
    indentation: int
    node: ast.FunctionDef
    """The definition; its lines count from 1 in `lines`."""

    @property
    def line(self) -> int:
        """The line of the file in which `def` stands."""
        return self.first + self.node.lineno - 1

    @property
    def definition(self) -> str:
        """The text without decorators."""
        return "\n".join(self.lines[self.node.lineno - 1 :]) + "\n"

    @property
    def free_names(self) -> frozenset[str]:
        """The names that it does not bind itself, those of annotations and defaults included."""
        code = self.function.__code__
        parts = (self.node.args, *self.node.body)
        names = {n.id for p in parts for n in ast.walk(p) if isinstance(n, ast.Name)}
        return frozenset(names.difference(code.co_varnames, code.co_cellvars))


def read_live(kernel: Any) -> Live:
    """The text of a JITFunction or an InterpretedFunction. Raises SourceUnavailable."""
    function = kernel.fn
    # What a JITFunction compiles was read when it was made; the interpreter reads it when it runs.
    compiled = getattr(kernel, "src", None)
    why = "its file does not hold it as it was when the kernel was made"
    for read in (_decorated, _compiled):
        try:
            raw, first = read(kernel)
            text = textwrap.dedent("".join(raw)).rstrip()
            body = parse(text).body
        except (OSError, TypeError, SyntaxError, ValueError) as error:
            why = str(error)
            continue
        node = body[0] if len(body) == 1 else None
        if not isinstance(node, ast.FunctionDef) or not _is_of(node, function):
            continue
        indentation = len(raw[0]) - len(raw[0].lstrip())
        path = function.__code__.co_filename
        live = Live(function, path, first, tuple(text.split("\n")), indentation, node)
        if compiled is None or compiled.rstrip() == live.definition.rstrip():
            return live
    raise SourceUnavailable(
        f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}: the source of "
        f"{function.__qualname__} cannot be read ({why}). Define it in a file, and optimize it "
        "before the file changes; for a function made by exec, put its text into "
        "linecache.cache under the file name it was compiled with"
    )


def _decorated(kernel: Any) -> tuple[list[str], int]:
    """The lines as they stand in the file."""
    lines = getattr(kernel, "raw_src", None)
    if lines is not None:
        return list(lines), kernel.starting_line_number
    return inspect.getsourcelines(kernel.fn)


def _compiled(kernel: Any) -> tuple[list[str], int]:
    """The lines that the kernel was given instead, or that its file has lost since."""
    text = getattr(kernel, "src", "")
    return text.splitlines(keepends=True), getattr(kernel, "starting_line_number", 1)


def _is_of(node: ast.FunctionDef, function: FunctionType) -> bool:
    code = function.__code__
    parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    count = code.co_argcount + code.co_kwonlyargcount
    names = tuple(parameter.arg for parameter in parameters)
    return node.name == function.__name__ and names == code.co_varnames[:count]


class Namespace:
    """What the free names of a function stand for right now, as Python would look them up."""

    def __init__(self, function: FunctionType) -> None:
        self.globals = function.__globals__
        self._cells = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self._cells:
            return self.globals.get(name, default)
        try:
            return self._cells[name].cell_contents
        except ValueError:  # bound later, or not any more
            return default

    def value_of(self, expression: ast.expr) -> Any:
        """The value of `a.b.c`; None where it has none."""
        if isinstance(expression, ast.Attribute):
            return getattr(self.value_of(expression.value), expression.attr, None)
        return self.get(expression.id) if isinstance(expression, ast.Name) else None

    @property
    def captured(self) -> frozenset[str]:
        return frozenset(self._cells)


def jit_functions(values: Iterator[Any]) -> Iterator[Any]:
    """The JITFunctions among some values, those inside of wrappers included."""
    for value in values:
        inner = value
        for _ in range(10):
            if is_jit_function(inner):
                yield inner
                break
            if not hasattr(type(inner), "run"):
                break
            inner = getattr(inner, "fn", None)


def called_by(function: FunctionType) -> list[str]:
    """The jit functions that a kernel calls, in whatever files, as text; and the numbers and texts
    that it and they read. Those of Triton are left out."""
    found: list[str] = []
    waiting, seen = [function], {function}
    while waiting:
        at = waiting.pop()
        for name, value in _read_by(at):
            if isinstance(value, (int, float, str, constexpr)):
                found.append(f"{name} = {value!r}")
            for inner in jit_functions(iter([value])):
                called = inner.fn
                if called not in seen and not called.__module__.startswith("triton."):
                    seen.add(called)
                    waiting.append(called)
                    found.append(getattr(inner, "src", ""))
    return sorted(found)


def _read_by(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The names of a function with what they stand for, also as attributes of a module."""
    namespace, code = Namespace(function), function.__code__
    for name in (*code.co_names, *code.co_freevars):
        value = namespace.get(name)
        yield name, value
        if isinstance(value, ModuleType) and not value.__name__.startswith("triton"):
            for attribute in code.co_names:
                yield attribute, getattr(value, attribute, None)
