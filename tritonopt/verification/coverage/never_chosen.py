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
from tritonopt.verification.coverage.text_differences import Body, Version

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


# Statements that run in every program of a launch, whatever its arguments: known without a look.
#
# What stands in a kernel itself, before anything that may end it, in no branch and in no loop that
# could take no turn, runs wherever a program does. So do the functions of the file that it calls.

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_SOMETIMES = (ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda, ast.ListComp, ast.GeneratorExp)
"""Expressions of which a part may not be evaluated."""


def always_run(version: Version) -> dict[int, frozenset[str]]:
    """By line, the kernels of which every program runs the statement there.

    A kernel whose name several functions have is left out: of these, launches do not tell which.
    """
    functions = (n for n in ast.walk(version.module.tree) if isinstance(n, ast.FunctionDef))
    names = [function.name for function in functions]
    found: dict[int, frozenset[str]] = {}
    for body in version.bodies.values():
        name = body.node.name
        if names.count(name) == 1 and version.module.kernel(name) is not None:
            for line in _lines(version, body):
                found[line] = found.get(line, frozenset()) | {name}
    return found


def _lines(version: Version, kernel: Body) -> set[int]:
    found: set[int] = set()
    seen, waiting = {kernel.name}, [kernel]
    while waiting:
        for statement in _straight(waiting.pop().node.body):
            found.add(statement.lineno)
            for callee in _called(version, statement):
                if callee.name not in seen:
                    seen.add(callee.name)
                    waiting.append(callee)
    return found


def _straight(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block that nothing keeps from running, once the block begins."""
    for statement in block:
        yield statement
        if isinstance(statement, ast.For) and _has_turns(statement.iter):
            yield from _straight(statement.body)
        if any(isinstance(node, _LEAVING) for node in ast.walk(statement)):
            # What stands in an inner loop may leave this one only; in doubt it leaves all.
            return


def _has_turns(iterable: ast.expr) -> bool:
    """Whether the text shows that a loop over it takes a turn."""
    if isinstance(iterable, (ast.Tuple, ast.List)):
        return bool(iterable.elts)
    if not isinstance(iterable, ast.Call) or iterable.keywords:
        return False
    name = ast.unparse(iterable.func).rpartition(".")[2]
    if name not in ("range", "static_range") or not 0 < len(iterable.args) < 4:
        return False
    values = [n.value for n in iterable.args if isinstance(n, ast.Constant)]
    numbers = [n for n in values if type(n) is int]
    return len(numbers) == len(iterable.args) and len(range(*numbers)) > 0


def _called(version: Version, statement: ast.stmt) -> Iterator[Body]:
    """The functions of the file that a statement calls in any case, those inside it left out."""
    waiting: list[ast.AST] = [
        part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)
    ]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _SOMETIMES):
            continue
        if isinstance(part, ast.Call):
            callees = version.called.get(ast.unparse(part.func), ())
            if len(callees) == 1:
                yield callees[0]
        waiting += ast.iter_child_nodes(part)
