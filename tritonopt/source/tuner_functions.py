"""Functions that tuners and heuristics call with all arguments of a launch, and what they ask.

`lambda args: args["N"] % 16 == 0` asks for one argument by its name, and is told the same when
there is one more. `lambda args: len(args)` is not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tritonopt.source.decorators import AUTOTUNE, HEURISTICS
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.kernels import Kernel
    from tritonopt.source.module import Module

_HOOKS = frozenset({"pre_hook", "post_hook"})
_Function = ast.FunctionDef | ast.Lambda


def counts_arguments(kernel: Kernel) -> ast.expr | None:
    """Where such a function of the file asks for more than single arguments by their names."""
    module = kernel.module
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name in (AUTOTUNE, HEURISTICS):
            for function in _called_with_arguments(module, decorator, name == HEURISTICS):
                use = _use_of_all(module, function, [])
                if use is not None:
                    return use
    return None


def _called_with_arguments(
    module: Module, tuner: ast.expr, is_heuristic: bool
) -> Iterator[_Function]:
    """The functions among what a tuner is given, in the tables and lists that it names too."""
    todo: list[ast.AST] = [tuner]
    for part in todo:  # it grows meanwhile
        for node in walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                value = _value(module, node)
                if value is not None and value not in todo:
                    todo.append(value)
            values = node.values if is_heuristic and isinstance(node, ast.Dict) else []
            hooks = [node.value] if isinstance(node, ast.keyword) and node.arg in _HOOKS else []
            for value in (*values, *hooks):
                function = _function(module, value)
                if function is not None:
                    yield function


def _use_of_all(module: Module, function: _Function, seen: list[_Function]) -> ast.expr | None:
    """Where a function uses its first argument other than for a value by its name."""
    taken = [*function.args.posonlyargs, *function.args.args]
    if not taken or function in seen:
        return None
    seen.append(function)
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id == taken[0].arg:
            around = module.names.parents[node]
            match around:
                case ast.Subscript(value=owner, slice=ast.Constant()) if owner is node:
                    continue
                case ast.Attribute(attr="get") | ast.Compare(ops=[ast.In() | ast.NotIn()]):
                    continue
                case ast.Call(func=called, args=[first, *_]) if first is node:
                    other = _function(module, called)
                    use = _use_of_all(module, other, seen) if other is not None else node
                    if use is None:
                        continue
            return node
    return None


def _function(module: Module, expression: ast.expr) -> _Function | None:
    if isinstance(expression, ast.Lambda):
        return expression
    value = _value(module, expression) if isinstance(expression, ast.Name) else None
    return value if isinstance(value, (ast.FunctionDef, ast.Lambda)) else None


def _value(module: Module, name: ast.Name) -> ast.stmt | ast.expr | None:
    """What a name of the file is bound to, if just once."""
    scope = module.names.scope_of.get(name, module.names.module)
    home = scope.find(name.id)
    bindings = home.bindings[name.id] if home is not None else []
    only = bindings[0] if len(bindings) == 1 else None
    return only if isinstance(only, (ast.stmt, ast.expr)) else None
