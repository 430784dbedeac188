"""What decides, beyond the launcher itself, which sizes of a tensor come to a launch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from tritonopt.facts.host.conditions import checked, conjuncts
from tritonopt.facts.host.tensor_expressions import shape_of
from tritonopt.source import Launch, Module
from tritonopt.source.trees import walk

_HARMLESS = frozenset(
    ["staticmethod", "classmethod", "torch.no_grad", "torch.inference_mode", "torch.jit.ignore"]
)
"""Decorators that pass arguments on as they are."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=32)
def passes_any_size(launch: Launch) -> bool:
    """Whether nothing around the launcher is seen to choose the tensors that it is given.

    A decorator may; so may a function of the file that calls the launcher with a tensor of its
    own making, or that checks its arguments.
    """
    launcher = launch.launcher
    if launcher is None:
        return False
    for decorator in launcher.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = launch.module.resolve(called) or (called.id if isinstance(called, ast.Name) else "")
        if name not in _HARMLESS:
            return False
    return all(_hands_on(caller, call) for caller, call in calls_of(launch, launcher.name))


def calls_of(launch: Launch, name: str) -> Iterator[tuple[_Function, ast.Call | None]]:
    """The functions of the file that call the launcher; without a call, where one is around it."""
    kernels = {kernel.node for kernel in launch.module.kernels}
    for function, _ in launch.module.names.functions:
        if not isinstance(function, _Function) or function is launch.launcher:
            continue
        if function in kernels:
            continue  # what is called there is a function of the language
        for node in walk(function):
            if node is launch.launcher:
                yield function, None
            elif isinstance(node, ast.Call) and _is_named(launch.module, node.func, name):
                yield function, node


def _is_named(module: Module, called: ast.expr, name: str) -> bool:
    match called:
        case ast.Name(id=written):
            return written == name
        case ast.Attribute(attr=written):
            # `torch.cumsum` is not the launcher `cumsum`.
            library = (module.resolve(called) or "").split(".")[0]
            return written == name and library not in ("torch", "triton")
    return False


def _hands_on(caller: _Function, call: ast.Call | None) -> bool:
    """Whether a function passes on what it was given, whatever that is."""
    if call is None:
        return False
    own = {argument.arg for argument in (*caller.args.posonlyargs, *caller.args.args)}
    for node in walk(caller):
        match node:
            case ast.Assert() | ast.Raise() | ast.If() | ast.IfExp() | ast.For() | ast.While():
                return False
            case ast.Name(ctx=ast.Store(), id=name):
                own.discard(name)
    return all(
        isinstance(argument, ast.Constant)
        or (isinstance(argument, ast.Name) and argument.id in own)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    )


def rank_of(launch: Launch, parameter: str) -> int | None:
    """How many dimensions a parameter of the launcher has; None where nothing says it."""
    if launch.launcher is None:
        return None
    ranks = {
        rank
        for node in walk(launch.launcher)
        if (rank := _said(launch.module, node, parameter)) is not None
    }
    return ranks.pop() if len(ranks) == 1 else None


def _said(module: Module, node: ast.AST, tensor: str) -> int | None:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=value) if _is_shape(value, tensor):
            return None if any(isinstance(name, ast.Starred) for name in names) else len(names)
    known = checked(module, node) if isinstance(node, ast.stmt) else None
    for part in conjuncts(*known) if known is not None else ():
        match part:
            case (ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]), True) | (
                ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]),
                False,
            ):
                number = _number_of_dimensions(left, right, tensor)
                if number is not None:
                    return number
    return None


def _is_shape(value: ast.expr, tensor: str) -> bool:
    asked = shape_of(value)
    return isinstance(asked, ast.Name) and asked.id == tensor


def _number_of_dimensions(left: ast.expr, right: ast.expr, tensor: str) -> int | None:
    match left, right:
        case (
            (
                ast.Attribute(value=ast.Name(id=name), attr="ndim")
                | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="dim"))
            ),
            ast.Constant(value=int() as number),
        ):
            return number if name == tensor else None
        case shape, ast.Tuple(elts=sizes) | ast.List(elts=sizes) if _is_shape(shape, tensor):
            return None if any(isinstance(size, ast.Starred) for size in sizes) else len(sizes)
        case ast.Call(func=ast.Name(id="len"), args=[shape]), ast.Constant(value=int() as number):
            return number if _is_shape(shape, tensor) else None
    return None
