"""Accumulators of loops that run once: what is added to nothing is what there is.

    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        ...
        total += x

has `total = x` in its place, where that is the same number: `0.0 + x` is of another type than x
at times, and where x is -0.0 it is 0.0.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.values import is_float, is_integer
from tritonopt.source import Change, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk
from tritonopt.transforms.one_tile.sweeps import RowSweeps
from tritonopt.transforms.writing import names_bound

_PROMOTING = frozenset({"add", "sub", "mul", "div", "neg", "where"})


@dataclass(frozen=True)
class Sum:
    """A name that starts at 0, and to which a loop does nothing but add once in a turn."""

    facts: KernelFacts
    loop: Loop
    name: str
    update: ast.stmt
    term: ast.expr

    @property
    def value(self) -> Value:
        return self.facts.values[self.term]

    @property
    def keeps_zeros(self) -> bool:
        """Whether what is added is never -0.0, which 0.0 added to it would make 0.0."""
        return is_never_negative_zero(self.value)

    def change(self) -> Change:
        """The update as a plain assignment."""
        module = self.facts.kernel.module
        if isinstance(self.update, ast.AugAssign):
            code = excerpts.statement_code(module, self.update, comments_above=False)
            return Replace(self.update, code.replace("+=", "=", 1))
        assert isinstance(self.update, ast.Assign)
        return ReplaceExpression(self.update.value, module.text_of(self.term))


def sums_of(sweeps: RowSweeps) -> list[Sum]:
    """The accumulators of the loops that can be what is added to them."""
    return [
        found
        for loop in sweeps.loops
        for name in sorted(loop.carried)
        if (found := _sum(sweeps.facts, loop, name)) is not None
    ]


def _sum(facts: KernelFacts, loop: Loop, name: str) -> Sum | None:
    if not _is_zero(loop.initial[name]):
        return None
    updates = [s for s in loop.node.body if name in names_bound(s)]
    mentions = [n for n in walk(loop.node) if isinstance(n, ast.Name) and n.id == name]
    if len(updates) != 1:
        return None
    (update,) = updates
    match update:
        case ast.AugAssign(target=ast.Name(), op=ast.Add(), value=term) if len(mentions) == 1:
            pass
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.BinOp(op=ast.Add(), left=ast.Name(id=one), right=term),
        ) if one == name and len(mentions) == 2:
            pass
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.BinOp(op=ast.Add(), left=term, right=ast.Name(id=one)),
        ) if one == name and len(mentions) == 2:
            pass
        case _:
            return None
    value, carried = facts.values[term], loop.carried[name]
    if not _has_type(value, carried.dtype, loop) or not _same_shape(facts, value, carried):
        return None
    return Sum(facts, loop, name, update, term)


def _has_type(value: Value, wanted: str | None, loop: Loop) -> bool:
    """Whether what is added has the type of the accumulator."""
    if wanted is None or value.dtype is not None:
        return value.dtype is not None and value.dtype == wanted
    # What a loop carries keeps its type, so nothing wider is added to it.
    return is_float(wanted) and loop.kind != "tl.static_range" and _is_as_wide(value, wanted)


def _is_as_wide(value: Value, wanted: str) -> bool:
    """Whether an operand makes the result at least of that type of float."""
    if value.dtype == wanted:
        return True
    sides = value.operands[1:] if value.op == "where" else value.operands
    return value.op in _PROMOTING and any(_is_as_wide(side, wanted) for side in sides)


def _is_zero(value: Value) -> bool:
    """0 or 0.0, alone or as a tile; not -0.0."""
    while value.op in ("full", "cast", "broadcast_to"):
        value = value.operands[0]
    number = value.constant
    return isinstance(number, (int, float)) and number == 0 and str(number)[0] != "-"


def _same_shape(facts: KernelFacts, one: Value, other: Value) -> bool:
    if one.shape is None or other.shape is None or len(one.shape) != len(other.shape):
        return False
    pairs = zip(one.shape, other.shape, strict=True)
    return all((facts.forms.of(a) - facts.forms.of(b)).is_zero for a, b in pairs)


def is_never_negative_zero(value: Value) -> bool:
    """Whether a value is shown never to be -0.0: an integer, a square, what was exponentiated."""
    if is_integer(value.dtype):
        return True
    match value.op:
        case "mul":
            return value.operands[0] is value.operands[1]
        case "elementwise":
            return str(value.attribute).rsplit(".", 1)[-1] in ("abs", "exp", "exp2")
        case "where":
            return all(map(is_never_negative_zero, value.operands[1:]))
        case "const":
            return str(value.constant)[0] != "-"
        case "cast" | "broadcast_to" | "insert_axes":
            return is_never_negative_zero(value.operands[0])
        case "reduce":
            return value.reduction.name == "sum" and is_never_negative_zero(value.operands[0])
        case "add":
            return all(map(is_never_negative_zero, value.operands))
    return False
