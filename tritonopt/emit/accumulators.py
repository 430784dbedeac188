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

from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import EXTREMES
from tritonopt.facts.values import is_float, is_integer
from tritonopt.source import Change, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk

CARRIED = {"int": "int32", "float": "fp32"}
"""What a loop makes of a Python number that it carries."""
_PROMOTING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.WHERE})
_KEEPING = frozenset({"abs", "exp", "exp2", "log", "log2", "sqrt"})
"""Functions of a float that give the same type."""
_NAMES = {"fp32": "float32", "int32": "int32"}


@dataclass(frozen=True)
class Update:
    """How a loop accumulates in a name, once in a turn and nowhere else."""

    facts: KernelFacts
    loop: Loop
    name: str
    statement: ast.stmt
    term: ast.expr
    is_sum: bool
    """It adds to what was 0; else it is a maximum or a minimum with what was a number."""
    cast: str
    """The type that the term has to be cast to, to be of the accumulator's; "" for none."""

    @property
    def value(self) -> Value:
        return self.facts.values[self.term]

    @property
    def keeps_zeros(self) -> bool:
        """Whether what is added is never -0.0, which 0.0 added to it would make 0.0."""
        return not self.is_sum or is_never_negative_zero(self.value)

    def changes(self, writer: Writer) -> list[Change]:
        """The update as an assignment of the term, or with a term of the right type."""
        module = self.facts.kernel.module
        text = module.text_of(self.term)
        if self.cast:
            text = f"{writer.operand(self.term)}.to({writer.language(_NAMES[self.cast])})"
        if not self.is_sum:
            return [ReplaceExpression(self.term, text)] if self.cast else []
        if isinstance(self.statement, ast.Assign):
            return [ReplaceExpression(self.statement.value, text)]
        if self.cast:
            return [Replace(self.statement, f"{self.name} = {text}")]
        code = excerpts.statement_code(module, self.statement, comments_above=False)
        return [Replace(self.statement, code.replace("+=", "=", 1))]


def updates_of(sweeps: RowSweeps) -> list[Update]:
    """Of the accumulators that can be what is added to them, or that have to be cast."""
    return [
        found
        for loop in sweeps.loops
        for name in sorted(loop.carried)
        if (found := _update(sweeps.facts, loop, name)) is not None
    ]


def _update(facts: KernelFacts, loop: Loop, name: str) -> Update | None:
    statements = [s for s in loop.node.body if name in names_bound(s)]
    mentions = [n for n in walk(loop.node) if isinstance(n, ast.Name) and n.id == name]
    if len(statements) != 1:
        return None
    statement = statements[0]
    is_sum, term = True, _added(statement, name)
    if term is None:
        is_sum, term = False, _extreme(facts, statement, name)
    once = 1 if isinstance(statement, ast.AugAssign) else 2
    if term is None or len(mentions) != once:
        return None
    initial, value, carried = loop.initial[name], facts.values[term], loop.carried[name]
    if is_sum and not _is_zero(initial):
        return None
    if not is_sum and initial.dtype not in CARRIED:
        return None  # a tensor, which stays one
    if carried.dtype is None or not _same_shape(facts, value, carried):
        return None
    cast = "" if _has_type(value, carried.dtype, loop) else carried.dtype
    if cast and (cast not in _NAMES or loop.kind == "tl.static_range"):
        return None
    # A cast to an integer would cut off a fraction, which a loop does not: it fails to compile.
    if cast and not is_float(cast) and not is_integer(value.dtype):
        return None
    if cast and is_integer(value.dtype) and is_float(cast):
        return None
    return Update(facts, loop, name, statement, term, is_sum, cast)


def _added(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a statement adds to a name."""
    match statement:
        case ast.AugAssign(target=ast.Name(), op=ast.Add(), value=term):
            return term
        case ast.Assign(
            targets=[ast.Name()], value=ast.BinOp(op=ast.Add(), left=left, right=right)
        ):
            return _beside(left, right, name)
    return None


def _extreme(facts: KernelFacts, statement: ast.stmt, name: str) -> ast.expr | None:
    """What a statement takes the larger or the smaller of, with the name."""
    match statement:
        case ast.Assign(
            targets=[ast.Name()], value=ast.Call(args=[left, right], keywords=[]) as call
        ) if function(facts.kernel.module.resolve(call.func)) in EXTREMES:
            return _beside(left, right, name)
    return None


def _beside(left: ast.expr, right: ast.expr, name: str) -> ast.expr | None:
    """The other one of two sides, of which one is the name."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ast.Name) and one.id == name:
            return other
    return None


def _has_type(value: Value, wanted: str, loop: Loop) -> bool:
    """Whether what is added has the type of the accumulator."""
    if value.dtype is not None:
        return value.dtype == wanted
    # What a loop carries keeps its type, so nothing wider is added to it.
    return is_float(wanted) and loop.kind != "tl.static_range" and is_as_wide(value, wanted)


def is_as_wide(value: Value, wanted: str) -> bool:
    """Whether an operand makes the result at least of that type of float."""
    if value.dtype == wanted:
        return True
    if value.op is Op.REDUCE and value.reduction.name == "sum":
        return is_as_wide(value.operand, wanted)
    sides = (value.then, value.other) if value.op is Op.WHERE else value.operands
    keeps = value.op in _PROMOTING or (value.op is Op.ELEMENTWISE and _called(value) in _KEEPING)
    return keeps and any(is_as_wide(side, wanted) for side in sides)


def _called(value: Value) -> str:
    return value.function.rsplit(".", 1)[-1]


def _is_zero(value: Value) -> bool:
    """0 or 0.0, alone or as a tile; not -0.0."""
    while value.op in (Op.FULL, Op.CAST, Op.BROADCAST_TO):
        value = value.operand
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
        case Op.MUL:
            return value.left is value.right
        case Op.ELEMENTWISE:
            return _called(value) in ("abs", "exp", "exp2")
        case Op.WHERE:
            return all(map(is_never_negative_zero, (value.then, value.other)))
        case Op.CONST:
            return str(value.constant)[0] != "-"
        case Op.CAST | Op.BROADCAST_TO | Op.INSERT_AXES:
            return is_never_negative_zero(value.operand)
        case Op.REDUCE:
            return value.reduction.name == "sum" and is_never_negative_zero(value.operand)
        case Op.ADD:
            return all(map(is_never_negative_zero, (value.left, value.right)))
    return False
