"""Sizes that the text of two versions singles out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tritonopt import source

from .differing import Comparison

LARGEST = 2**17
"""Numbers beyond that are no sizes of anything that is run here."""


def singled_out(compared: Comparison) -> list[int]:
    """Numbers in what differs, those beside them, and what a remainder picks."""
    found: dict[int, None] = {}
    for version in (compared.new, compared.old):
        for body in version.bodies.values():
            for statement in body.statements:
                if statement.differs:
                    found.update(dict.fromkeys(_sizes_in(statement.head)))
    return list(found)


def _sizes_in(parts: Iterable[ast.AST]) -> Iterator[int]:
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Compare):
                yield from _of_remainder(node)
        for node in ast.walk(part):
            number = _number(node)
            if number is not None and 2 < number <= LARGEST:
                yield from (number, number + 1, number - 1)


def _of_remainder(node: ast.Compare) -> Iterator[int]:
    """Sizes for which `n % a == b` holds, beyond the first."""
    left, right = node.left, _number(node.comparators[0])
    if right is None or not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mod):
        return
    modulus = _number(left.right)
    if modulus is not None and 0 < modulus <= LARGEST:
        yield from (modulus + right, 2 * modulus + right)


def _number(node: ast.AST) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def whole_numbers(module: source.Module) -> set[int]:
    """Every whole number that a file mentions."""
    return {n for node in ast.walk(module.tree) if (n := _number(node)) is not None}


def block_sizes(numbers: Iterable[int]) -> set[int]:
    """What looks like a block size: powers of two, 8 and more."""
    return {n for n in numbers if 8 <= n <= 2**16 and n & (n - 1) == 0}
