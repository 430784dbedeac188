"""Whether a launch is seen to pass two parts of one tensor that may overlap.

By default two pointer parameters are taken to be the same buffer or not to overlap. `x[1:]` and
`x[:-1]` of one launch are neither.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import zip_longest

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.tensor_expressions import viewed
from tritonopt.source import Launch
from tritonopt.source.names import Names, Scope

_VIEWS = torch_api.VIEWS | torch_api.PARTS

_Part = tuple[Scope | None, str]


def may_overlap(launch: Launch, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments of a launch are seen to be parts of one tensor, and not the same one.

    Parts that share no element, as `x[0]` and `x[1]` or `x[:n]` and `x[n:]`, do not overlap.
    """
    if ast.dump(one) == ast.dump(other) or are_apart(one, other):
        return False
    names = launch.module.names
    mine, theirs = dict(_names(names, one)), dict(_names(names, other))
    common = mine.keys() & theirs.keys()
    return bool(common) and all(mine[part] or theirs[part] for part in common)


def may_be_part(launch: Launch, argument: ast.expr) -> bool:
    """Whether an argument of a launch is seen to be a part of a tensor, on some way to it."""
    return any(is_part for _, is_part in _names(launch.module.names, argument))


def surely_overlap(launch: Launch, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments are seen to be one tensor, or parts of one that share some rows.

    As `x[1:]` and `x[:-1]` do: of a tensor with a few rows, that is.
    """
    parts = [_rows(launch, argument) or (argument, ast.Slice()) for argument in (one, other)]
    (mine, rows), (theirs, others) = parts
    if not isinstance(mine, ast.Name) or ast.dump(mine) != ast.dump(theirs):
        return False
    again = (n for n in ast.walk(launch.call) if isinstance(n, ast.NamedExpr))
    if any(n.target.id == mine.id for n in again):
        return False
    return all(s.upper is None or (_integer(s.upper) or 0) < 0 for s in (rows, others))


def rows_from(launch: Launch, argument: ast.expr) -> tuple[ast.expr, int]:
    """The tensor that an argument is the rows of, from which row on: `x` and 1 of `x[1:]`.

    Of an argument that is no such part, it itself and 0.
    """
    found = _rows(launch, argument)
    if found is None:
        return argument, 0
    tensor, rows = found
    return tensor, 0 if rows.lower is None else _integer(rows.lower) or 0


def _rows(launch: Launch, argument: ast.expr) -> tuple[ast.expr, ast.Slice] | None:
    """A tensor and some of its rows, from one whose number is known."""
    part = argument
    if isinstance(part, ast.Name):
        scope = launch.module.names.scope_of.get(part, launch.module.names.module).find(part.id)
        bound = scope.bindings[part.id] if scope is not None else []
        if len(bound) == 1 and isinstance(bound[0], ast.Subscript):
            part = bound[0]
    if not isinstance(part, ast.Subscript):
        return None
    first, *rest = _indices(part.slice)
    if any(not isinstance(i, ast.Slice) or i.lower or i.upper or i.step for i in rest):
        return None
    match first:
        case ast.Slice(lower=lower, step=None) if lower is None or (_integer(lower) or 0) >= 0:
            known = lower is None or _integer(lower) is not None
            return (part.value, first) if known else None
    return None


def _names(names: Names, argument: ast.expr) -> Iterator[tuple[_Part, bool]]:
    """The names that an argument may be a view of, and whether of a part only."""
    todo = [(argument, False)]
    seen: set[_Part] = set()
    while todo:
        expression, cut = todo.pop()
        match expression:
            case ast.Name(id=name):
                scope = names.scope_of.get(expression, names.module).find(name)
                if (scope, name) not in seen:
                    seen.add((scope, name))
                    yield (scope, name), cut
                    bound = scope.bindings[name] if scope is not None else []
                    todo += [(value, cut) for value in bound if isinstance(value, ast.expr)]
            case ast.Subscript(slice=index) if _key(index) is not None:
                yield (None, ast.unparse(expression)), cut  # all of a tensor in a dict
            case ast.Subscript(value=value):
                todo.append((value, True))
            case ast.Call() | ast.Attribute():
                tensor = viewed(expression, _VIEWS)
                if tensor is not None:
                    todo.append((tensor, cut or _is_part(expression)))
                elif isinstance(expression, ast.Attribute):
                    yield (None, ast.unparse(expression)), cut  # `self.cache`


def are_apart(one: ast.expr, other: ast.expr) -> bool:
    """Whether two subscripts of one expression share no element."""
    match one, other:
        case ast.Subscript(value=mine, slice=first), ast.Subscript(value=theirs, slice=second):
            if ast.dump(mine) != ast.dump(theirs) or any(
                isinstance(node, ast.Call) and viewed(node, _VIEWS) is None
                for node in ast.walk(mine)
            ):
                return False
            pairs = list(zip_longest(_indices(first), _indices(second)))
            # An index of another kind may stand for no dimension, or for several.
            plain = all(_is_plain(index) for pair in pairs for index in pair)
            dots = [tuple(map(_is_ellipsis, pair)) for pair in pairs]
            aligned = all(mine == theirs for mine, theirs in dots)
            return plain and aligned and any(_share_nothing(*pair) for pair in pairs)
    return False


def _is_part(view: ast.Call | ast.Attribute) -> bool:
    return viewed(view, torch_api.PARTS) is not None and isinstance(view, ast.Call)


def _indices(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _is_plain(index: ast.expr | None) -> bool:
    known = _integer(index) is not None or _key(index) is not None
    return known or isinstance(index, ast.Slice) or _is_ellipsis(index)


def _is_ellipsis(index: ast.expr | None) -> bool:
    return isinstance(index, ast.Constant) and index.value is ...


def _key(index: ast.expr | None) -> str | None:
    """The key of a tensor in a dict."""
    match index:
        case ast.Constant(value=str() as key):
            return key
    return None


def _integer(index: ast.expr | None) -> int | None:
    match index:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = _integer(operand)
            return None if number is None else -number
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
    return None


def _share_nothing(one: ast.expr | None, other: ast.expr | None) -> bool:
    """Whether two indices of one dimension have no element in common."""
    first, second = _integer(one), _integer(other)
    if first is not None and second is not None:
        return first != second and (first < 0) == (second < 0)
    if _key(one) is not None and _key(other) is not None:
        return _key(one) != _key(other)
    match one, other:
        case (
            ast.Slice(lower=None, upper=ast.expr() as end, step=None),
            ast.Slice(lower=ast.expr() as start, upper=None, step=None),
        ) | (
            ast.Slice(lower=ast.expr() as start, upper=None, step=None),
            ast.Slice(lower=None, upper=ast.expr() as end, step=None),
        ):
            is_one = isinstance(end, ast.Name) or _integer(end) is not None
            return is_one and ast.dump(end) == ast.dump(start)
    return False
