"""Numbers that one version alone has, and that small calls do not come to: `n % 262144`.

A kernel that only sizes beyond such a number lead to is run with small ones where a test of its
launcher is taken to hold: there `n % 262144` is `n`, and in practice it never is.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from math import prod

from tritonopt.source.single_numbers import named_numbers
from tritonopt.source.trees import walk
from tritonopt.verification.coverage.text_differences import Body, Comparison, Version

SMALL = 4096
"""Calls have sizes up to this: numbers in what differs are tried as sizes."""
_MOST_BITS = 64
_PARTS = (ast.FloorDiv, ast.Div, ast.Mod)
_SHIFTS = (ast.LShift, ast.RShift)


def large_numbers(compared: Comparison, names: Collection[str]) -> set[int]:
    """Numbers above `SMALL` in what differs of these functions, and in one version only.

    A number by itself that is named or passed by name is the length of a tile.
    """
    ours, theirs = (set(_of(v, names)) for v in (compared.old, compared.new))
    return {n for n in ours ^ theirs if n > SMALL}


def _of(version: Version, names: Collection[str]) -> Iterator[int]:
    named = named_numbers(version.module.tree)
    for name, body in version.bodies.items():
        if name.partition("#")[0] in names:
            yield from _of_body(body, named)


def _of_body(body: Body, named: Mapping[str, int]) -> Iterator[int]:
    for statement in body.statements:
        if not statement.differs:
            continue
        alone = {id(k.value) for part in statement.head for k in walk(part)
                 if isinstance(k, ast.keyword)}  # fmt: skip
        if isinstance(statement.node, (ast.Assign, ast.AnnAssign)) and statement.node.value:
            alone.add(id(statement.node.value))
        for part in statement.head:
            for node in walk(part):
                if isinstance(node, ast.BinOp):
                    yield prod(_divisors(node, named))
                if isinstance(node, ast.expr) and id(node) not in alone:
                    yield abs(_value(node, named) or 0)


def _divisors(node: ast.AST, named: Mapping[str, int]) -> Iterator[int]:
    """What something is divided by, one after the other: `n // 512 // 512`, `n >> 18`."""
    for part in walk(node):
        if isinstance(part, ast.BinOp) and isinstance(part.op, (*_PARTS, *_SHIFTS)):
            value = abs(_value(part.right, named) or 0)
            if isinstance(part.op, _SHIFTS):
                value = 1 << min(value, _MOST_BITS)
            yield max(value, 1)


def _value(node: ast.AST, named: Mapping[str, int]) -> int | None:
    """The whole number that a piece of code is; None where it is more than that."""
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.Name(id=name):
            return named.get(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _value(operand, named)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _value(left, named), _value(right, named)
            return None if one is None or other is None else _computed(one, op, other)
    return None


def _computed(one: int, op: ast.operator, other: int) -> int | None:
    match op:
        case ast.Add():
            return one + other
        case ast.Sub():
            return one - other
        case ast.Mult():
            return one * other
        case ast.LShift() if 0 <= other <= _MOST_BITS:
            return one << other
        case ast.Pow() if 0 <= other <= _MOST_BITS and abs(one) <= SMALL:
            return int(one**other)
    return None
