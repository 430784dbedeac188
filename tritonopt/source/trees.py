"""Walking over syntax trees, which is most of what is done with them."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

_MARKS = frozenset({"ctx", "op", "ops"})
"""Fields with what only says how a node is meant: `Load()`, `Add()`, ..."""

SIGNS: Mapping[type[ast.AST], str] = (
    {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
    | {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
    | {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
)
"""How operators and comparisons are written."""

CONTRARY = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "=="}
"""How the contrary of a comparison is written: of numbers, none of which is NaN."""


def walk(root: ast.AST) -> list[ast.AST]:
    """The node and all inside it, in the order of `ast.walk`; without contexts and operators.

    Several times as fast as that.
    """
    found = [root]
    for node in found:  # it grows meanwhile
        for name in _fields.get(node.__class__) or fields_of(node):
            value = getattr(node, name, None)
            if value.__class__ is list:
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def names_in(root: ast.AST) -> set[str]:
    """Every name that stands somewhere inside."""
    return {node.id for node in walk(root) if isinstance(node, ast.Name)}


def bound_in(root: ast.AST) -> set[str]:
    """The names that are bound inside: by a target `p[i]` none."""
    names = (node for node in walk(root) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right inside of one, likewise."""
    for name in fields_of(node):
        value = getattr(node, name, None)
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            yield value


def remade(node: ast.AST, part: Callable[[ast.AST], ast.AST]) -> ast.AST:
    """A copy of a node, with what a function makes of each of the nodes right inside of it."""
    new = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            setattr(new, name, part(value))
        elif isinstance(value, list):
            setattr(new, name, [part(v) if isinstance(v, ast.AST) else v for v in value])
    return new


def fields_of(node: ast.AST) -> tuple[str, ...]:
    """The fields of a node that `walk` goes into."""
    kind = node.__class__
    if kind not in _fields:
        _fields[kind] = tuple(name for name in kind._fields if name not in _MARKS)
    return _fields[kind]


_fields: dict[type[ast.AST], tuple[str, ...]] = {}


def blocks_of(statement: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement, in order: bodies, handlers, cases."""
    for _, part in ast.iter_fields(statement):
        items = part if isinstance(part, list) else []
        if items and isinstance(items[0], ast.stmt):
            yield items
        for item in items:
            if isinstance(item, (ast.ExceptHandler, ast.match_case)):
                yield item.body


Definition = TypeVar("Definition", bound=ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def told_apart(definitions: Iterable[Definition]) -> dict[str, Definition]:
    """The definitions of one scope by name, in their order.

    Where a name is bound again the last one has it, which is what the name means in the end; those
    before it, whose value may have got another name meanwhile, are `name#1`, `name#2`, ...
    """
    nodes = list(definitions)
    last = {node.name: node for node in nodes}
    seen: Counter[str] = Counter()
    found: dict[str, Definition] = {}
    for node in nodes:
        seen[node.name] += 1
        again = last[node.name] is not node
        found[f"{node.name}#{seen[node.name]}" if again else node.name] = node
    return found


def is_text(statement: ast.stmt) -> bool:
    """Whether it is a constant that nothing is done with, such as a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def parents_of(root: ast.stmt) -> dict[ast.stmt, ast.stmt]:
    """Of every statement below a statement, the one around it."""
    found: dict[ast.stmt, ast.stmt] = {}
    todo = [root]
    while todo:
        outer = todo.pop()
        for _, block in ast.iter_fields(outer):
            if isinstance(block, list):
                inner = [s for s in block if isinstance(s, ast.stmt)]
                found.update((s, outer) for s in inner)
                todo += inner
    return found
