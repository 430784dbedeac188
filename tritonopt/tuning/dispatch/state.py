"""What a function keeps in its module: no verification compares that from call to call."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from tritonopt import source
from tritonopt.verification.signature.launchers import Launchers, differing_definitions

_KEEPING = frozenset(
    ["add", "append", "appendleft", "extend", "insert", "put", "setdefault", "update"]
)
"""Methods that put what they are given into an object."""
_OPTIONS = frozenset({"num_warps", "num_stages", "num_ctas"})


def kept_state(old: source.Module, new: source.Module, launcher: str) -> Iterator[tuple[str, str]]:
    """Functions that differ and keep something, each with the name of the module that holds it.

    What they keep may be as large as a tile, and others may read it. Where nothing but numbers of
    warps and the like differs, it is the same.
    """
    launchers, others = Launchers.of(old), Launchers.of(new).definitions
    kernels = {kernel.name for kernel in old.kernels}
    mine = launchers.reached(launchers.definition_of(launchers.named(launcher)))
    for name in sorted((differing_definitions(old, new) & mine) - kernels):
        one, other = launchers.definitions[name], others.get(name)
        if other is not None and _without_options(one) == _without_options(other):
            continue
        for node in ast.walk(one):
            if isinstance(node, ast.Global):
                yield from ((name, each) for each in node.names)
            for held in _holders(node):
                if _is_of_the_module(held, old):
                    yield name, held.id


def _without_options(node: ast.AST) -> str:
    alone = copy.deepcopy(node)
    for call in ast.walk(alone):
        if isinstance(call, ast.Call):
            call.keywords = [k for k in call.keywords if k.arg not in _OPTIONS]
    return ast.dump(alone)


def _holders(node: ast.AST) -> Iterator[ast.Name]:
    """The names of what gets something put into it."""
    match node:
        case (
            ast.Subscript(ctx=ast.Store(), value=inner)
            | ast.Attribute(ctx=ast.Store(), value=inner)
        ):
            yield from _base(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _KEEPING:
            yield from _base(inner)


def _base(expression: ast.expr) -> Iterator[ast.Name]:
    while isinstance(expression, (ast.Attribute, ast.Subscript)):
        expression = expression.value
    if isinstance(expression, ast.Name):
        yield expression


def _is_of_the_module(name: ast.Name, module: source.Module) -> bool:
    """Whether it is bound in the module, and by no import."""
    scope = module.names.scope_of.get(name)
    home = None if scope is None else scope.find(name.id)
    if home is None or home is not module.names.module:
        return False
    return not any(isinstance(binding, str) for binding in home.bindings[name.id])
