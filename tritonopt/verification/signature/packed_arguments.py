"""The arguments of a function that takes any number, `def f(*args, **kwargs)`: what it unpacks.

Of `**kwargs` these are options that have a plain default: `kwargs.get("approximate", "none")`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def unpacked(function: ast.FunctionDef) -> tuple[ast.arg, ...]:
    """A parameter for each place of `*args` that the function reads, called as it calls it there.

    Nothing where there is no `*args`, where it is only passed on, or where a parameter that has
    to be named stands behind it.
    """
    arguments = function.args
    if arguments.vararg is None or len(arguments.kwonlyargs) > len(
        [d for d in arguments.kw_defaults if d is not None]
    ):
        return ()
    packed = arguments.vararg.arg
    given: dict[int, set[str]] = {}
    count = 0
    for node in ast.walk(function):
        count = max(count, _least(node, packed))
        for place in _places(node, packed):
            given.setdefault(place, set())
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for place, name in _named(target, node.value, packed):
                    given.setdefault(place, set()).add(name)
    count = max(count, max(given, default=-1) + 1, -min(given, default=0))
    own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    found: list[ast.arg] = []
    for place in range(count):
        # What is counted from the end is the one place or the other.
        names = (given.get(place, set()) | given.get(place - count, set())) - own
        name = names.pop() if len(names) == 1 else f"{packed}_{place}"
        found.append(ast.arg(name))
        own.add(name)
    return tuple(found)


def options(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """What the function looks up in its `**kwargs`, with its defaults, but for None.

    Names of its parameters, and of what it unpacks, are passed as these.
    """
    packed = function.args.kwarg
    given = function.args
    own = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, *unpacked(function))}
    found: dict[str, ast.expr] = {}
    for node in ast.walk(function) if packed is not None else ():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                args=[ast.Constant(value=str(key)), ast.Constant(value=default) as plain],
            ) if packed is not None and name == packed.arg and default is not None:
                if key not in own:
                    found.setdefault(key, plain)
    return found


def _least(node: ast.AST, packed: str) -> int:
    """How many there are where the function asks for them: `len(args) >= 2`, `for x in args`."""
    if isinstance(node, ast.For) and _is(node.iter, packed):
        return 1
    match node:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
            ops=[ast.GtE() | ast.Eq() | ast.Gt() as test],
            comparators=[ast.Constant(value=int() as number)],
        ) if name == packed:
            return number + isinstance(test, ast.Gt)
    return 0


def _places(node: ast.AST, packed: str) -> Iterator[int]:
    """`args[1]`, `args[-1]`."""
    if isinstance(node, ast.Subscript) and _is(node.value, packed):
        match node.slice:
            case ast.Constant(value=int() as place):
                yield place
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place)):
                yield -place


def _named(target: ast.expr, value: ast.expr, packed: str) -> Iterator[tuple[int, str]]:
    """What `x = args[0]`, `x, y = args` and `x = args[0] if args else None` call a place."""
    if isinstance(value, ast.IfExp):
        yield from _named(target, value.body, packed)
        yield from _named(target, value.orelse, packed)
    elif isinstance(target, ast.Name):
        yield from ((place, target.id) for place in _places(value, packed))
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for part, own in zip(target.elts, value.elts, strict=False):
            yield from _named(part, own, packed)
    elif isinstance(target, ast.Tuple) and _is(value, packed):
        for place, part in enumerate(target.elts):
            if not isinstance(part, ast.Name):
                return
            yield place, part.id


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
