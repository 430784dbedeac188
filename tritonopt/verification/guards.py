"""Guards that two versions of a kernel share: `if row >= M: return`, and what it has become.

Where the grid is exact no program ever takes such a guard, and no call can be asked for that
does. It need not be seen to run where both versions of the kernel leave under the same condition,
all that the kernel does to memory stands behind the guard in both, and neither ever left: then
nothing is written where it holds, in the one as in the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt import source

from .coverage import Coverage, Place
from .demands import Demand
from .differing import Function, inner_blocks

_HARMLESS = (
    "abs", "arange", "broadcast_to", "cast", "cdiv", "cumsum", "dot", "exp", "exp2", "expand_dims",
    "float32", "full", "load", "log", "log2", "max", "maximum", "min", "minimum", "multiple_of",
    "num_programs", "program_id", "range", "rsqrt", "sqrt", "static_range", "sum", "trans",
    "where", "zeros",
)  # fmt: skip
"""Functions of Triton's language that write nothing, wait for nothing, and end nothing."""
_METHODS = ("to", "cast")


@dataclass(frozen=True)
class Guard:
    """A test of a kernel on which all that it writes depends."""

    place: Place
    leaves: bool
    """The outcome of the test with which the kernel does nothing more."""
    exits: frozenset[int]
    """The lines of the statements that it leaves by."""
    condition: tuple[str, bool]
    """The condition under which it leaves, without `not`, and whether there is one before it."""

    def left(self, seen: Coverage) -> bool:
        return (self.place, self.leaves) in seen.tests

    def asked_by(self, demand: Demand) -> bool:
        """Whether something is demanded that runs only where the kernel leaves."""
        if demand.kind == "line":
            return demand.line in self.exits
        outcome = "true" if self.leaves else "false"
        return demand.kind == outcome and (demand.line, demand.column) == self.place


def kept_guards(old: source.Module, new: source.Module) -> list[tuple[Guard, Guard]]:
    """The guards that both versions of a kernel have."""
    found = []
    for kernel in old.kernels:
        counterpart = new.kernel(kernel.name)
        if counterpart is None:
            continue
        theirs = {g.condition: g for g in _guards(new, counterpart.node)}
        ours = _guards(old, kernel.node)
        found += [(g, theirs[g.condition]) for g in ours if g.condition in theirs]
    return found


def _guards(module: source.Module, kernel: Function) -> Iterator[Guard]:
    effects = {n for n in ast.walk(kernel) if _has_effect(module, n)}
    for block in _blocks(kernel):
        for index, node in enumerate(block):
            if not isinstance(node, ast.If) or node.orelse:
                continue
            leaving = len(node.body) == 1 and _leaves(node.body[0])
            guarded = block[index + 1 :] if leaving else node.body
            if effects and effects <= {n for s in guarded for n in ast.walk(s)}:
                exits = frozenset({node.body[0].lineno} if leaving else ())
                place = node.test.lineno, node.test.col_offset
                yield Guard(place, leaving, exits, _condition(node.test, negated=not leaving))


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for block in inner_blocks(node):
        yield block
        for statement in block:
            yield from _blocks(statement)


def _leaves(node: ast.stmt) -> bool:
    return isinstance(node, ast.Continue) or (isinstance(node, ast.Return) and node.value is None)


def _condition(test: ast.expr, *, negated: bool) -> tuple[str, bool]:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    return ast.dump(test), negated


def _has_effect(module: source.Module, node: ast.AST) -> bool:
    """Whether it may write, or call what does; in doubt it does."""
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.While, ast.Assert))
    name = module.resolve(node.func)
    if name.startswith("triton.language."):
        return name.removeprefix("triton.language.") not in _HARMLESS
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        return False
    return name not in ("range", "min", "max", "triton.cdiv")
