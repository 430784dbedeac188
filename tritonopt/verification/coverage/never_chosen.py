"""Branches of kernels that no launch of the file chooses: `else:` behind all codes that there are.

A parameter that a kernel does not bind anew, and for which every launch passes one of a few plain
values, settles tests while the kernel is compiled. Where none of the values leads into a branch,
no call of a launcher runs it. As elsewhere the files that are given are taken to hold all launches.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from tritonopt import facts, source
from tritonopt.facts.host.few_values import Plain, passed
from tritonopt.source.trees import blocks_of

_MOST = 256
"""So many combinations of values are looked through for one launch."""

Values = Mapping[str, Plain]
_Condition = tuple[ast.expr, bool]
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def never_chosen(kernel: source.Kernel) -> frozenset[int]:
    """The lines of a kernel that stand in such branches."""
    tests = [n.test for n in ast.walk(kernel.node) if isinstance(n, ast.If)]
    known = facts.of(kernel).launches if tests else None
    if known is None or known.unknown or len(kernel.decorators) != 1:
        # A tuner, or a heuristic, chooses values of its own.
        return frozenset()
    asked = {n.id for test in tests for n in ast.walk(test) if isinstance(n, ast.Name)}
    bound = {
        n.id
        for n in ast.walk(kernel.node)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    # What is passed to a kernel that runs is rounded: only what it is compiled for is exact.
    names = sorted(asked & {p.name for p in kernel.parameters if p.constexpr} - bound)
    every = [v for launch in known.launches for v in _combinations(launch, names)]
    if not every:
        return frozenset()
    dead, live = set(), {kernel.node.lineno}
    for statement, conditions in _statements(kernel.node, ()):
        lines = {n.lineno for n in ast.walk(statement) if isinstance(n, ast.stmt | ast.expr)}
        if any(_may_come(conditions, values) for values in every):
            live |= _head(statement)
        else:
            dead |= lines
    return frozenset(dead - live)


def _combinations(launch: source.Launch, names: Sequence[str]) -> Iterator[Values]:
    """What one launch may pass together, of what is known to have few values."""
    found = {name: passed(launch, name) for name in names}
    few = {name: sorted(v, key=repr) for name, v in found.items() if v is not None}
    if prod(map(len, few.values())) > _MOST:
        few = {}
    for values in product(*few.values()):
        yield dict(zip(few, values, strict=True))


def _statements(
    node: ast.AST, conditions: tuple[_Condition, ...]
) -> Iterator[tuple[ast.stmt, tuple[_Condition, ...]]]:
    """Each statement, with the tests it stands under and how these have to come out."""
    for block in blocks_of(node):
        under = conditions
        if isinstance(node, ast.If):
            under = (*conditions, (node.test, block is node.body))
        for statement in block:
            yield statement, under
            yield from _statements(statement, under)


def _head(statement: ast.stmt) -> set[int]:
    """The lines of a statement, without those of the statements in it."""
    inside = {s for block in blocks_of(statement) for s in block}
    found = {statement.lineno}
    for child in ast.iter_child_nodes(statement):
        if child not in inside:
            found |= {n.lineno for n in ast.walk(child) if isinstance(n, ast.expr)}
    return found


def _may_come(conditions: Sequence[_Condition], values: Values) -> bool:
    return all(_truth(test, values) is not (not wanted) for test, wanted in conditions)


def _truth(test: ast.expr, values: Values) -> bool | None:
    """How a test comes out; None where the values do not settle it."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _truth(operand, values)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=parts):
            truths = [_truth(part, values) for part in parts]
            settling = isinstance(op, ast.Or)
            if settling in truths:
                return settling
            return None if None in truths else not settling
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(_value(left, values), op, _value(right, values))
    value = _value(test, values)
    return None if value is None else bool(value[0])


def _compared(left: tuple[Plain] | None, op: ast.cmpop, right: tuple[Plain] | None) -> bool | None:
    if left is None or right is None:
        return None
    one, other = left[0], right[0]
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return (one == other) is isinstance(op, ast.Eq)
    if isinstance(op, (ast.Is, ast.IsNot)) and None in (one, other):
        return (one is other) is isinstance(op, ast.Is)
    if isinstance(op, _ORDERED) and isinstance(one, int | float) and isinstance(other, int | float):
        less = one < other if isinstance(op, (ast.Lt, ast.GtE)) else one > other
        return less is isinstance(op, (ast.Lt, ast.Gt))
    return None


def _value(node: ast.expr, values: Values) -> tuple[Plain] | None:
    """A plain value, alone in a tuple: None is one too."""
    match node:
        case ast.Constant(value=value) if isinstance(value, Plain):
            return (value,)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return (-value,)
        case ast.Name(id=name) if name in values:
            return (values[name],)
    return None
