"""Which statements of a kernel are lifted: all of them, or those for rows that one tile holds.

Where the compiler decides between a tile that holds the row and loops over tiles, a program that
loops keeps its one row, for that is long enough.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tritonopt.facts import KernelFacts
from tritonopt.launches.launch_grids import Extent, GridNotReadable, given_by, read_extent
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.source import Kernel
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import in_parentheses
from tritonopt.transforms.heuristic_functions import heuristic_functions
from tritonopt.transforms.writing import names_bound

AXIS = 0
"""Of the grid: the one that numbers the rows."""


@dataclass(frozen=True)
class LiftedPart:
    """The statements of a kernel that are lifted."""

    kernel: Kernel
    decisions: tuple[ast.If, ...] = ()
    """Of the kernel's own block, all of one condition that the compiler knows: what is done
    without it is not lifted."""
    conditions: tuple[str, ...] = ()
    """Code for the condition at each launch; nothing where there are no decisions."""

    @property
    def statements(self) -> list[ast.stmt]:
        """Those that are lifted, in the order in which they run."""
        own = own_statements(self.kernel)
        return [inner for s in own for inner in (s.body if s in self.decisions else [s])]

    @property
    def left(self) -> frozenset[ast.AST]:
        """All that is done for one row only."""
        return frozenset(n for decision in self.decisions for s in decision.orelse for n in walk(s))


def own_statements(kernel: Kernel) -> list[ast.stmt]:
    """Those of a kernel's own block, without what documents it."""
    return kernel.node.body[ast.get_docstring(kernel.node) is not None :]


def lifted_part(facts: KernelFacts) -> LiftedPart:
    """The part for rows that one tile holds, if each launch can ask for it; else all."""
    kernel = facts.kernel
    try:
        extents = [read_extent(launch, AXIS) for launch in facts.launches.launches]
    except GridNotReadable:
        return LiftedPart(kernel)
    for statement in own_statements(kernel):
        if isinstance(statement, ast.If) and _is_loop_or_not(statement):
            conditions = [_condition(facts, extent, statement.test) for extent in extents]
            if conditions and None not in conditions:
                same = ast.dump(statement.test)
                decisions = tuple(
                    s
                    for s in own_statements(kernel)
                    if isinstance(s, ast.If) and ast.dump(s.test) == same
                )
                return LiftedPart(kernel, decisions, tuple(filter(None, conditions)))
    return LiftedPart(kernel)


def _is_loop_or_not(statement: ast.If) -> bool:
    """Whether there are loops in what is done without the condition, and none with it."""
    return any(map(_loops, statement.orelse)) and not any(map(_loops, statement.body))


def _loops(statement: ast.stmt) -> bool:
    return any(isinstance(node, (ast.For, ast.While)) for node in walk(statement))


def _condition(facts: KernelFacts, extent: Extent, test: ast.expr) -> str | None:
    """Code for a condition of the kernel at a launch.

    None where the compiler may not know it, or where that is not what the launch passes.
    """
    kernel = facts.kernel
    constexprs = {p.name for p in kernel.parameters if p.constexpr} - names_bound(kernel.node)
    names = {node.id for node in walk(test) if isinstance(node, ast.Name)}
    if not names <= constexprs:
        return None
    if isinstance(test, ast.Name):
        heuristics = list(heuristic_functions(kernel))
        functions = [function for name, function in heuristics if name in (test.id, "")]
        if functions:
            return _answer(extent, functions[0]) if len(functions) == 1 else None
    passed: dict[ast.expr, str] = {n: n.id for n in walk(test) if isinstance(n, ast.Name)}
    return _asked(kernel, extent, test, passed)


def _answer(extent: Extent, function: ast.expr | None) -> str | None:
    """What a heuristic comes to at a launch."""
    match function:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=arguments)]), body=body):
            passed = dict(_taken(body, arguments))
            return _asked(extent.launch.kernel, extent, body, passed)
    return None


def _taken(body: ast.expr, arguments: str) -> Iterator[tuple[ast.expr, str]]:
    """The arguments of a launch that a heuristic takes, each with the name of its parameter."""
    for node in walk(body):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                if name == arguments:
                    yield node, key


def _asked(
    kernel: Kernel, extent: Extent, test: ast.expr, passed: Mapping[ast.expr, str]
) -> str | None:
    """Code for a condition in which some expressions are what a launch passes."""
    replaced: dict[ast.expr, str] = {}
    for node, name in passed.items():
        argument = given_by(extent.launch).get(name)
        if argument is None or not PlannedLaunch(extent.launch).repeats(argument):
            return None
        replaced[node] = in_parentheses(extent.launch.module.text_of(argument))
    code = kernel.module.text_with(test, replaced)
    return code if _is_understood(test, passed) and "\n" not in code else None


def _is_understood(node: ast.expr, passed: Mapping[ast.expr, str]) -> bool:
    """Whether an expression is made of nothing but numbers that a launch passes."""
    if node in passed:
        return True
    match node:
        case ast.Compare(left=left, comparators=others):
            return all(_is_understood(part, passed) for part in (left, *others))
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_is_understood(part, passed) for part in parts)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_understood(left, passed) and _is_understood(right, passed)
    return isinstance(node, ast.Constant) and isinstance(node.value, int)
