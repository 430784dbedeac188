"""What a tuner is given: how many configurations, at least; with one it runs nothing twice."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.source.module import Module
from tritonopt.source.trees import walk

_MANY = 8
"""Of so many, a filter is taken to leave more than one."""
_SAME_NUMBER = frozenset({"list", "tuple", "sorted", "reversed"})
_MAX_DEPTH = 8


def least_number(module: Module, configs: ast.expr, depth: int = 0) -> int:
    """A number that there are not less of; 1 where that cannot be read."""
    if depth > _MAX_DEPTH:
        return 1
    configs = bound(module, configs) or configs
    match configs:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return sum(
                least_number(module, e.value, depth + 1) if isinstance(e, ast.Starred) else 1
                for e in elements
            )
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return sum(least_number(module, side, depth + 1) for side in (left, right))
        case ast.IfExp(body=body, orelse=orelse):
            return min(least_number(module, side, depth + 1) for side in (body, orelse))
        case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators):
            product = math.prod(least_number(module, g.iter, depth + 1) for g in generators)
            return _left(product, any(g.ifs for g in generators))
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _SAME_NUMBER:
            return least_number(module, inner, depth + 1)
        case ast.Call(func=ast.Name(id="range"), args=[*ends]):
            numbers = [e.value for e in ends if isinstance(e, ast.Constant)]
            whole = [number for number in numbers if isinstance(number, int)]
            return len(range(*whole)) if len(whole) == len(ends) else 1
        case ast.Call(func=called, args=[*lists]) if module.resolve(called) == "itertools.product":
            return math.prod(least_number(module, one, depth + 1) for one in lists)
        case ast.Call(func=ast.Name(id=name)):
            return _made_by(module, name, depth + 1)
    return 1


def settings_of(configs: ast.expr) -> tuple[Mapping[Atom, int], ...]:
    """By configuration, the whole numbers that it gives; empty where one cannot be read."""
    found: list[Mapping[Atom, int]] = []
    for config in configs.elts if isinstance(configs, (ast.List, ast.Tuple)) else ():
        match config:
            case ast.Call(args=[ast.Dict(keys=keys, values=values), *_]):
                pairs = zip(keys, values, strict=True)
                found.append(
                    {
                        Param(name.value): number.value
                        for name, number in pairs
                        if isinstance(name, ast.Constant) and isinstance(number, ast.Constant)
                        if isinstance(name.value, str) and isinstance(number.value, int)
                    }
                )
            case _:
                return ()
    return tuple(found)


def keywords_of(module: Module, given: ast.expr) -> dict[str, ast.expr] | None:
    """What `**given` passes, where that can be read: all of it, of either side of a choice."""
    match bound(module, given):
        case ast.Dict(keys=keys, values=values):
            names = [key.value for key in keys if isinstance(key, ast.Constant)]
            texts = [name for name in names if isinstance(name, str)]
            return dict(zip(texts, values, strict=True)) if len(texts) == len(values) else None
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            named = {k.arg: k.value for k in keywords if k.arg is not None}
            return named if len(named) == len(keywords) else None
        case ast.IfExp(body=body, orelse=orelse):
            sides = (keywords_of(module, body), keywords_of(module, orelse))
            if sides[0] is None or sides[1] is None or sides[0].keys() & sides[1].keys():
                return None
            return {**sides[0], **sides[1]}
    return None


def bound(module: Module, node: ast.expr | None) -> ast.expr | None:
    """An expression, or what the module binds its name to, if just once."""
    if isinstance(node, ast.Name):
        bindings = module.names.module.bindings.get(node.id, [])
        if len(bindings) == 1 and isinstance(bindings[0], ast.expr):
            return bindings[0]
    return node


def _left(product: int, filtered: bool) -> int:
    return product if not filtered else 2 if product >= _MANY else 1


def _made_by(module: Module, name: str, depth: int) -> int:
    """The least that a function of the file returns."""
    named = [f for f, _ in module.names.functions if isinstance(f, ast.FunctionDef)]
    found = [function for function in named if function.name == name]
    if len(found) != 1:
        return 1
    returned = [n.value for n in walk(found[0]) if isinstance(n, ast.Return)]
    numbers = []
    for value in returned:
        match value:
            case ast.Name(id=collected):
                numbers.append(_collected(module, found[0].body, collected, depth) or 1)
            case ast.expr():
                numbers.append(least_number(module, value, depth))
    return min(numbers, default=1)


def _collected(module: Module, body: Sequence[ast.stmt], name: str, depth: int) -> int:
    """How many are put into a list by plain code: bound, or appended in loops."""
    number = 0
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.List() as value):
                number = least_number(module, value, depth) if target == name else number
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"))
            ):
                number += owner == name
            case ast.For(iter=iterable, body=inner):
                times = least_number(module, iterable, depth)
                number += times * _collected(module, inner, name, depth)
            case ast.If():
                break  # what is left out is not known
    return number
