"""Comparisons that hold for one number alone, or for all but one: `cols != 9999`."""

from __future__ import annotations

import ast

_COMMON = 2
"""Numbers up to this are met anyway, or stand for what never happens."""


def asks_for_one_number(node: ast.AST) -> bool:
    """Whether something is compared with one whole number, which few calls may have."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    sides = (node.left, node.comparators[0])
    numbers = [s.value for s in sides if isinstance(s, ast.Constant) and type(s.value) is int]
    equal = isinstance(node.ops[0], (ast.Eq, ast.NotEq))
    return equal and len(numbers) == 1 and abs(numbers[0]) > _COMMON
