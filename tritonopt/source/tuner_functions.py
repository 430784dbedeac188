"""Functions that tuners and heuristics call with all arguments of a launch, and what they ask.

`lambda args: args["N"] % 16 == 0` asks for one argument by its name, and is told the same when
there is one more. `lambda args: len(args)` is not. Of a heuristic that is not seen, it is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.source.decorators import AUTOTUNE, HEURISTICS
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.kernels import Kernel
    from tritonopt.source.module import Module

_HOOKS = frozenset({"pre_hook", "post_hook"})
_Function = ast.FunctionDef | ast.Lambda
_Bound = ast.stmt | ast.expr


@dataclass(frozen=True)
class TunerUse:
    """Where a function takes more of a launch than single arguments by their names, or may."""

    node: ast.expr
    """In the file of the kernel: the function, or what stands for it or for a table of them."""
    is_seen: bool
    """Whether the function is known; where it is not, it may."""


def counting_use(kernel: Kernel) -> TunerUse | None:
    """The first function of the kernel's tuners that takes all arguments of a launch, or may."""
    module = kernel.module
    uses: list[TunerUse] = []
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name == HEURISTICS:
            uses += _of_heuristics(module, decorator)
        elif name == AUTOTUNE:
            uses += _of_hooks(module, decorator)
    return min(uses, key=lambda use: not use.is_seen, default=None)


def _of_heuristics(module: Module, decorator: ast.expr) -> Iterator[TunerUse]:
    """Those of `heuristics({"NAME": function, ...})`."""
    parts: list[ast.expr] = []
    if isinstance(decorator, ast.Call):
        parts = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
    for part in parts or [decorator]:
        functions = _functions(module, part)
        if functions is None:
            yield TunerUse(part, is_seen=False)
        for home, function in functions or ():
            yield from _of_function(home, function, part if home is not module else function)


def _functions(module: Module, table: ast.expr) -> list[tuple[Module, ast.expr]] | None:
    """The values of a dict, with the file that each stands in; None where it is not seen."""
    home, value = _bound(module, table) or (module, None)
    if not isinstance(value, ast.Dict):
        return None
    found = []
    for key, function in zip(value.keys, value.values, strict=True):
        inner = [(home, function)] if key is not None else _functions(home, function)
        if inner is None:
            return None
        found += inner
    return found


def _of_hooks(module: Module, tuner: ast.expr) -> Iterator[TunerUse]:
    """Those of `autotune(..., pre_hook=function)` and its configurations, where these are seen."""
    todo: list[ast.AST] = [tuner]
    for part in todo:  # it grows meanwhile
        for node in walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                home, value = _bound(module, node) or (module, None)
                if value is not None and home is module and value not in todo:
                    todo.append(value)
            if isinstance(node, ast.keyword) and node.arg in _HOOKS:
                yield from _of_function(module, node.value, node.value)


def _of_function(module: Module, function: ast.expr, said: ast.expr) -> Iterator[TunerUse]:
    if isinstance(function, ast.Constant):
        return  # None: there is no hook
    home, value = _bound(module, function) or (module, None)
    if not isinstance(value, (ast.FunctionDef, ast.Lambda)) or _is_decorated(value):
        yield TunerUse(said, is_seen=False)
    elif _takes_all(home, value, []):
        yield TunerUse(said, is_seen=True)


def _is_decorated(function: _Function) -> bool:
    return isinstance(function, ast.FunctionDef) and bool(function.decorator_list)


def _takes_all(module: Module, function: _Function, seen: list[_Function]) -> bool:
    """Whether a function uses its first argument other than for a value by its name."""
    taken = [*function.args.posonlyargs, *function.args.args]
    if not taken:
        return True
    if function in seen:
        return False
    seen.append(function)
    names = (node for node in walk(function) if isinstance(node, ast.Name))
    return any(_is_all(module, n, seen) for n in names if n.id == taken[0].arg)


def _is_all(module: Module, name: ast.Name, seen: list[_Function]) -> bool:
    """Whether all arguments are used, where their name stands."""
    match module.names.parents[name]:
        case ast.Subscript(value=owner, slice=ast.Constant()) if owner is name:
            return False
        case ast.Attribute(attr="get") | ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return False
        case ast.Call(func=called, args=[first, *_]) if first is name:
            home, value = _bound(module, called) or (module, None)
            if isinstance(value, (ast.FunctionDef, ast.Lambda)):
                return _takes_all(home, value, seen)
    return True


def _bound(module: Module, expression: ast.expr) -> tuple[Module, _Bound] | None:
    """What an expression stands for, in whichever file that was given: itself, or a definition."""
    if not isinstance(expression, (ast.Name, ast.Attribute)):
        return module, expression
    if isinstance(expression, ast.Name):
        scope = module.names.scope_of.get(expression, module.names.module)
        home = scope.find(expression.id)
        bindings = home.bindings[expression.id] if home is not None else []
        only = bindings[0] if len(bindings) == 1 else None
        if isinstance(only, (ast.stmt, ast.expr)):
            return module, only
    elsewhere = module.bound_elsewhere(expression)
    if elsewhere is None or not isinstance(elsewhere[1], (ast.stmt, ast.expr)):
        return None
    return elsewhere[0], elsewhere[1]
