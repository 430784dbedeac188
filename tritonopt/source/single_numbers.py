"""Comparisons with a whole number, which few calls may come to: `cols != 9999`, `min(n, 256)`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

_COMMON = 2
"""Numbers up to this are met anyway, or stand for what never happens."""
_ORDERS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OF_NAMES, _OF_ATTRIBUTES = ("min", "max"), ("minimum", "maximum")
"""What gives one of two numbers: functions of Python, and of the language."""


def number_asked_for(node: ast.AST) -> int | None:
    """The whole number that something is compared with, if that is all that is asked."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    return (
        _single((node.left, node.comparators[0]), {}) if isinstance(node.ops[0], _ORDERS) else None
    )


def limit_of(node: ast.AST, named: Mapping[str, int]) -> tuple[int, ast.expr] | None:
    """The whole number that something is limited by, and the limit that is made of it.

    `min(n, 256)`, `tl.maximum(x, 16)`, `min(end, start + 1000)`. `named` are numbers with names.
    """
    if not isinstance(node, ast.Call) or len(node.args) != 2:
        return None
    name = isinstance(node.func, ast.Name) and node.func.id in _OF_NAMES
    attribute = isinstance(node.func, ast.Attribute) and node.func.attr in _OF_ATTRIBUTES
    if not (name or attribute):
        return None
    found: list[tuple[int, ast.expr]] = []
    for side in node.args:
        match side:
            case ast.BinOp(left=ast.Name(), op=ast.Add() | ast.Sub(), right=by):
                number = _single([by], named)
            case _:
                number = _single([side], named)
        found += [] if number is None else [(number, side)]
    return found[0] if len(found) == 1 else None


def named_numbers(tree: ast.Module) -> dict[str, int]:
    """The whole numbers to which a module gives names that it binds once."""
    found: dict[str, list[int | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, []).append(None)
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if len(found[name]) == 1:
                found[name] = [_number(value)]
    return {name: numbers[0] for name, numbers in found.items() if numbers[0] is not None}


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _single(sides: Sequence[ast.expr], named: Mapping[str, int]) -> int | None:
    known = (named.get(s.id) if isinstance(s, ast.Name) else _number(s) for s in sides)
    numbers = [n for n in known if n is not None]
    return numbers[0] if len(numbers) == 1 and abs(numbers[0]) > _COMMON else None
