"""Kernels: the functions of a module that triton compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tritonopt.source.ahead import asks_for_signature
from tritonopt.source.decorators import (
    JIT,
    canonical_decorator,
    is_called_as_written,
    unknown_at_launch,
    unknown_below_jit,
)
from tritonopt.source.names import Scope
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.module import Module


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel. `kind` is as in `inspect`, in small letters."""

    name: str
    constexpr: bool
    annotation: ast.expr | None
    default: ast.expr | None
    kind: str


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function under a jit decorator, wherever it stands and whatever else decorates it."""

    module: Module = field(repr=False)
    node: ast.FunctionDef = field(repr=False)
    qualname: str
    decorators: tuple[str, ...]
    """Resolved dotted names, outermost first; "" for one that does not resolve. What does what
    `triton.jit` does has its name."""
    jit: str
    """The resolved name of the decorator that made it a kernel."""

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def arguments(self) -> list[ast.arg]:
        """The parameters in the syntax tree, in their order."""
        given = self.node.args
        return [*given.posonlyargs, *given.args, *given.kwonlyargs]

    @property
    def first_line(self) -> int:
        """That of the first decorator."""
        return min([self.node.lineno, *(d.lineno for d in self.node.decorator_list)])

    @property
    def lines(self) -> range:
        """From its first decorator to its end."""
        return range(self.first_line, (self.node.end_lineno or self.node.lineno) + 1)

    @cached_property
    def digest(self) -> str:
        """Of its text, with its decorators."""
        from hashlib import sha256  # rarely needed

        lines = self.module.lines
        text = self.module.text[lines.start(self.first_line) : lines.start(self.lines.stop)]
        return sha256(text.strip().encode()).hexdigest()

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(parameters_of(self.node.args))

    @cached_property
    def unknown_decorator(self) -> ast.expr | None:
        """What may launch it in another way than a launch says, above it or above its class."""
        return unknown_at_launch(self)

    @cached_property
    def is_called_as_written(self) -> bool:
        """Whether a call from jit code runs this text, and nothing that stands in its place."""
        return is_called_as_written(self)

    @cached_property
    def signature_use(self) -> ast.expr | None:
        """What in the file may rest on the parameters that it has now, other than a launch."""
        return asks_for_signature(self)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The function and all inside it, in the order of `walk`."""
        return tuple(walk(self.node))

    @property
    def statements(self) -> list[ast.stmt]:
        """Its body without what documents it."""
        return self.node.body[ast.get_docstring(self.node, clean=False) is not None :]

    @cached_property
    def called(self) -> frozenset[str]:
        """The names that are called in it, `f` of `f(x)`."""
        calls = (node.func for node in self.nodes if isinstance(node, ast.Call))
        return frozenset(function.id for function in calls if isinstance(function, ast.Name))


def find_kernels(module: Module) -> tuple[Kernel, ...]:
    """Every jit function of the module, helpers and nested ones included, in source order.

    But none whose text is not what triton compiles: below a decorator that is below `jit`.
    """
    return tuple(kernel for kernel, below in _jitted(module) if below is None)


def find_replaced(module: Module) -> Iterator[tuple[Kernel, ast.expr]]:
    """What is no kernel to us, with the decorator below `jit` that may give it another text."""
    return ((kernel, below) for kernel, below in _jitted(module) if below is not None)


def _jitted(module: Module) -> Iterator[tuple[Kernel, ast.expr | None]]:
    """Every function below a jit decorator, and what between the two may replace its text."""
    for node, scope in module.names.functions:
        if isinstance(node, ast.AsyncFunctionDef) or not node.decorator_list:
            continue
        decorators = tuple(_decorator(module, d) for d in node.decorator_list)
        if JIT in decorators:
            between = node.decorator_list[decorators.index(JIT) + 1 :]
            kernel = Kernel(module, node, _qualname(node.name, scope), decorators, JIT)
            yield kernel, unknown_below_jit(module, between)


def _decorator(module: Module, expression: ast.expr) -> str:
    while isinstance(expression, ast.Call):
        expression = expression.func
    return canonical_decorator(module.resolve(expression))


def _qualname(name: str, scope: Scope | None) -> str:
    """As `__qualname__`: `Class.kernel`, `factory.<locals>.kernel`."""
    parts = [name]
    while scope is not None:
        if isinstance(scope.node, ast.ClassDef):
            parts.append(scope.node.name)
        elif isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parts += ["<locals>", scope.node.name]
        scope = scope.parent
    return ".".join(reversed(parts))


def parameters_of(args: ast.arguments) -> Iterator[Parameter]:
    """Those of any function, in order."""
    positional = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    defaults += args.defaults
    for index, (arg, default) in enumerate(zip(positional, defaults, strict=True)):
        first = index < len(args.posonlyargs)
        yield _parameter(arg, default, "positional_only" if first else "positional_or_keyword")
    if args.vararg is not None:
        yield _parameter(args.vararg, None, "var_positional")
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield _parameter(arg, default, "keyword_only")
    if args.kwarg is not None:
        yield _parameter(args.kwarg, None, "var_keyword")


def _parameter(arg: ast.arg, default: ast.expr | None, kind: str) -> Parameter:
    return Parameter(arg.arg, _is_constexpr(arg.annotation), arg.annotation, default, kind)


def _is_constexpr(annotation: ast.expr | None) -> bool:
    # Triton asks the same of the annotation's text, whatever module the name comes from.
    return annotation is not None and "constexpr" in ast.unparse(annotation)
