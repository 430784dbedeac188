"""Comparisons with a whole number, which few calls may come to: `cols != 9999`, `n > 63`."""

from __future__ import annotations

import ast

_COMMON = 2
"""Numbers up to this are met anyway, or stand for what never happens."""
_ORDERS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def number_asked_for(node: ast.AST) -> int | None:
    """The whole number that something is compared with, if that is all that is asked."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    sides = (node.left, node.comparators[0])
    numbers = [s.value for s in sides if isinstance(s, ast.Constant) and type(s.value) is int]
    single = isinstance(node.ops[0], _ORDERS) and len(numbers) == 1
    return numbers[0] if single and abs(numbers[0]) > _COMMON else None
