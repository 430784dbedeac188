"""Whole numbers that a text compares something with (`cols != 9999`), limits or divides it by."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

LARGEST = 2**17
"""Numbers beyond that are no sizes of anything that is run here."""
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
                found[name] = [number_of(value)]
    return {name: numbers[0] for name, numbers in found.items() if numbers[0] is not None}


def number_of(node: ast.AST) -> int | None:
    """The whole number that a piece of code is, if it is one by itself."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _single(sides: Sequence[ast.expr], named: Mapping[str, int]) -> int | None:
    known = (named.get(s.id) if isinstance(s, ast.Name) else number_of(s) for s in sides)
    numbers = [n for n in known if n is not None]
    return numbers[0] if len(numbers) == 1 and abs(numbers[0]) > _COMMON else None


# What numbers are divided by, and computed from.

_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}


def divisors_of(modules: Iterable[ast.Module]) -> list[int]:
    """The numbers of `n // 64` and `triton.cdiv(n, 64)`, with names for numbers as well."""
    found: dict[int, None] = {}
    for module in modules:
        names = constants_of(module)
        for node in ast.walk(module):
            match node:
                case ast.BinOp(op=ast.FloorDiv(), right=by):
                    found.update(dict.fromkeys(computed(by, names)))
                case ast.Call(args=[_, by]) if ast.unparse(node.func).rpartition(".")[2] == "cdiv":
                    found.update(dict.fromkeys(computed(by, names)))
    return sorted(n for n in found if 2 < n <= LARGEST)


def constants_of(module: ast.Module) -> dict[str, list[int]]:
    """Whole numbers that the module names: of `A if x else B` either, and so of branches."""
    found: dict[str, list[int]] = {}
    bound: list[str] = []
    for names, branch in _bindings(module.body):
        for name, value in names.items():
            numbers = list(computed(value, found))
            found[name] = [*found.get(name, ()), *numbers] if branch else numbers
            bound += [] if branch and name in bound else [name]
    return {name: numbers for name, numbers in found.items() if bound.count(name) == 1}


def _bindings(body: Sequence[ast.stmt]) -> Iterator[tuple[dict[str, ast.expr], bool]]:
    """What statements name, one after the other, and whether one stands in a branch."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield {node.targets[0].id: node.value}, False
        elif isinstance(node, ast.If):
            for names, _ in (*_bindings(node.body), *_bindings(node.orelse)):
                yield names, True


def computed(
    node: ast.AST, names: Mapping[str, Sequence[int]], most: int = LARGEST
) -> Iterator[int]:
    """What a whole number may come to that the text computes, of numbers up to the largest."""
    if isinstance(node, ast.Name):
        yield from names.get(node.id, ())
    elif isinstance(node, ast.IfExp):
        yield from computed(node.body, names, most)
        yield from computed(node.orelse, names, most)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        sides = (computed(side, names, most) for side in (node.left, node.right))
        for left, right in product(*sides):
            if max(abs(left), abs(right)) > most or right < 0:
                continue
            # As many bits as the largest has, and some.
            if isinstance(node.op, (ast.Pow, ast.LShift)) and right > most.bit_length() + 2:
                continue
            if isinstance(node.op, ast.FloorDiv) and not right:
                continue
            yield int(_OPERATORS[type(node.op)](left, right))
    elif (number := number_of(node)) is not None:
        yield number
