"""When the sweeps over a row can be written for one tile."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.reuse import Stretch, binds_first, reused, surely_bound
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.trip_guards import does_nothing_when_empty, runs_always
from tritonopt.emit.writing import Writer, names_bound, reads_of, statements_around
from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.memory.dependence import Accesses
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import is_as_wide
from tritonopt.facts.recurrences.reduction_calls import combined_sides
from tritonopt.facts.values import is_float, is_integer
from tritonopt.passes.one_tile.one_turn import (
    Straightened,
    straightened,
    tidied,
    without_selects,
)
from tritonopt.source import Change, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import children, walk

# Accumulators of loops that run once: what is added to nothing is what there is
#
#     total = tl.zeros([BLOCK], dtype=tl.float32)
#     for start in range(0, N, BLOCK):
#         ...
#         total += x
#
# has `total = x` in its place, where that is the same number: `0.0 + x` is of another type than x
# at times, and where x is -0.0 it is 0.0.

_CARRIED = {"int": "int32", "float": "fp32"}
"""What a loop makes of a Python number that it carries."""
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
        return not self.is_sum or _is_never_negative_zero(self.value)

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
    is_sum, term = _term(facts, statement, name)
    once = 1 if isinstance(statement, ast.AugAssign) else 2
    if term is None or len(mentions) != once:
        return None
    initial, value, carried = loop.initial[name], facts.values[term], loop.carried[name]
    if is_sum and not _is_zero(initial):
        return None
    if not is_sum and initial.dtype not in _CARRIED:
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


def _term(facts: KernelFacts, statement: ast.stmt, name: str) -> tuple[bool, ast.expr | None]:
    """What a statement adds to a name, or takes the larger or the smaller of with it."""
    match statement:
        case ast.AugAssign(target=ast.Name(), op=ast.Add(), value=term):
            return True, term
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.BinOp(op=ast.Add()) | ast.Call(args=[_, _], keywords=[]) as value,
        ) if (found := combined_sides(facts, value)) is not None:
            one, other = found[1]
            for side, term in ((one, other), (other, one)):
                if isinstance(side, ast.Name) and side.id == name:
                    return isinstance(value, ast.BinOp), term
    return False, None


def _has_type(value: Value, wanted: str, loop: Loop) -> bool:
    """Whether what is added has the type of the accumulator."""
    if value.dtype is not None:
        return value.dtype == wanted
    # What a loop carries keeps its type, so nothing wider is added to it.
    return is_float(wanted) and loop.kind != "tl.static_range" and is_as_wide(value, wanted)


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


def _is_never_negative_zero(value: Value) -> bool:
    """Whether a value is shown never to be -0.0: an integer, a square, what was exponentiated."""
    if is_integer(value.dtype):
        return True
    match value.op:
        case Op.MUL:
            return value.left is value.right
        case Op.ELEMENTWISE:
            return value.function.rsplit(".", 1)[-1] in ("abs", "exp", "exp2")
        case Op.WHERE:
            return all(map(_is_never_negative_zero, (value.then, value.other)))
        case Op.CONST:
            return str(value.constant)[0] != "-"
        case Op.CAST | Op.BROADCAST_TO | Op.INSERT_AXES:
            return _is_never_negative_zero(value.operand)
        case Op.REDUCE:
            return value.reduction.name == "sum" and _is_never_negative_zero(value.operand)
        case Op.ADD:
            return all(map(_is_never_negative_zero, (value.left, value.right)))
    return False


# The sweeps

_TAKES_NUMBERS = ("maximum", "minimum", "where")


@dataclass(frozen=True)
class OneTile:
    """Sweeps that may be written without their loops, and what they are then."""

    sweeps: RowSweeps
    stretch: Stretch
    """In the text without the loops."""
    updates: tuple[Update, ...]
    """Of the accumulators that are gone."""
    may_be_empty: str
    """Why rows of no elements have to keep the loops, which do not run for them; "" otherwise."""

    @property
    def is_exact(self) -> bool:
        """Whether no sum can lose the sign of a zero."""
        return all(update.keeps_zeros for update in self.updates)


def prove_one_tile(sweeps: RowSweeps, attempt: Attempt) -> OneTile:
    """Goes through the conditions that are the same for rows that one tile holds, and for all.

    Raises Declined at the first that does not hold.
    """
    _check_loops(sweeps)
    _check_path(sweeps)
    attempt.prove("loops-are-plain", "each has one induction variable and no early exit")
    may_be_empty = _may_be_empty(sweeps, attempt)
    _check_names(sweeps)
    updates, writer = updates_of(sweeps), Writer(sweeps.facts)
    sums = [update for update in updates if update.is_sum]
    straight = straightened(sweeps, [c for u in updates for c in u.changes(writer)])
    _check_types(sweeps, straight, {(u.loop.identity, u.name) for u in updates})
    attempt.prove("type-stays", "loop-carried names keep their types")
    loads = straight.stretch.loads
    names = {update.name for update in sums}
    stretch = reused(without_selects(straight.stretch), straight.copies | names)
    counters = [n for loop in sweeps.loops for n in _targets(loop)]
    carried = [name for loop in sweeps.loops for name in loop.carried]
    stretch = tidied(stretch, [*carried, *counters], sorted(names))
    saved = loads - stretch.loads
    if saved <= 0:
        detail = "no element is loaded twice, or a store between the two loads may change it"
        raise refuted("same-elements", "nothing-read-twice", detail)
    attempt.prove("same-elements", f"{saved} of {loads} loads read what was read before")
    _rest_on_buffers(sweeps, attempt)
    return OneTile(sweeps, stretch, tuple(sums), may_be_empty)


def _rest_on_buffers(sweeps: RowSweeps, attempt: Attempt) -> None:
    """Says why what is stored on the way is not what is loaded, where that was needed."""
    facts = sweeps.facts
    writes = [e for e in sweeps.effects if e.writes]
    loads = [e for e in sweeps.effects if e.kind is EffectKind.LOAD]
    accesses = Accesses(facts)
    for write, load in product(writes, loads):
        accesses.are_disjoint(write, load)
    accesses.prove(attempt, "data-is-unchanged", "there is no store to it between the loads")


def _check_loops(sweeps: RowSweeps) -> None:
    for loop in sweeps.loops:
        where = f"the loop in line {loop.line}"
        node = loop.node
        sweeps.facts.check_ends(loop)
        counted = isinstance(node, ast.For) and isinstance(node.target, ast.Name)
        if counted and any(_targets(loop) & names_bound(s) for s in node.body):
            detail = f"{where} binds its induction variable again"
            raise unknown("loops-are-plain", "loop-is-not-plain", detail)
        if not counted or loop.start is None or loop.kind == "other":
            detail = f"{where} is not over a range with one name"
            raise unknown("loops-are-plain", "loop-is-not-plain", detail)


def _check_path(sweeps: RowSweeps) -> None:
    for effect in sweeps.effects:
        if effect.kind is EffectKind.EXIT:
            detail = f"{effect.name} in line {effect.line} may exit early"
            raise refuted("loops-are-plain", "early-exit", detail)


def _may_be_empty(sweeps: RowSweeps, attempt: Attempt) -> str:
    """Why a row of no elements would be treated otherwise without the loops; "" where it is not."""
    claim, given = "sizes-are-positive", list[Assumption]()
    if all(runs_always(sweeps.facts, loop, given) for loop in sweeps.loops):
        attempt.prove(claim, "there is no empty row", given)
        return ""
    doing = [n for n in sweeps.loops if not does_nothing_when_empty(sweeps.facts, n)]
    if not doing:
        attempt.prove(claim, "in an empty row all lanes are inactive and add nothing")
        return ""
    return (
        f"the loop in line {doing[0].line} has no iteration for an empty row, and without "
        "the loop a value would be computed"
    )


def _check_names(sweeps: RowSweeps) -> None:
    """What a loop bound for itself must not be seen where another meaning of the name is."""
    facts = sweeps.facts
    inner = {n for loop in sweeps.loops for s in loop.node.body for n in names_bound(s)}
    inner |= {n for loop in sweeps.loops for n in _targets(loop)}
    new = {n for n in inner if n not in facts.before[sweeps.statements[0]]}
    _check_reads_behind(sweeps, inner, new)
    for _, block, node in statements_around(facts, sweeps.statements[0]):
        if isinstance(node, (ast.For, ast.While)):
            break
        if not isinstance(node, ast.If) or is_constexpr(facts, node.test):
            continue
        other = node.orelse if block is node.body else node.body
        both = new & {n for s in other for n in names_bound(s)}
        if both:
            name = min(both)
            detail = f"both branches of the if in line {node.lineno} would bind {name}"
            raise unknown("type-stays", "name-is-bound-elsewhere", detail)


def _check_reads_behind(sweeps: RowSweeps, inner: Iterable[str], new: Iterable[str]) -> None:
    """A name of the loop alone, or its counter, may be read after it only if it is bound anew."""
    block = sweeps.block
    for loop in sweeps.loops:
        local = {n for n in names_bound(loop.node) if n not in loop.carried}
        for later in block[block.index(loop.node) + 1 :]:
            for name in sorted(local):
                if reads_of(later, name) and not binds_first(later, name):
                    detail = (
                        f"{name} of the loop in line {loop.line} is read in line {later.lineno}"
                    )
                    raise unknown("type-stays", "name-is-bound-elsewhere", detail)
            local -= surely_bound(later)


def _targets(loop: Loop) -> set[str]:
    return names_bound(loop.node.target) if isinstance(loop.node, ast.For) else set()


def _check_types(sweeps: RowSweeps, straight: Straightened, gone: set[tuple[int, str]]) -> None:
    """A loop makes a tensor of a Python number that it carries; straight-line code does not."""
    for loop, end in zip(sweeps.loops, straight.ends, strict=True):
        names = straight.stretch.names_at(end)
        for name, initial in loop.initial.items():
            carried = _CARRIED.get(initial.dtype or "")
            if carried is None or (loop.identity, name) in gone:
                continue
            now = names.get(name)
            if not _is_of_type(now, carried) or not _takes_a_number(sweeps, loop, name):
                detail = (
                    f"{name} is a number before the loop in line {loop.line}, which makes it "
                    f"{carried}; without the loop it may have another type"
                )
                raise unknown("type-stays", "type-changes", detail)


def _is_of_type(value: Value | None, wanted: str) -> bool:
    if value is None:
        return False
    if value.dtype is None and is_float(wanted):
        return value.op in (Op.ADD, Op.SUB, Op.MUL, Op.MAXIMUM, Op.MINIMUM) and any(
            operand.dtype == wanted for operand in value.operands
        )
    return value.dtype == wanted


def _takes_a_number(sweeps: RowSweeps, loop: Loop, name: str) -> bool:
    """Whether all that reads a carried name in the loop takes a number as well as a tensor."""
    parents = {child: node for node in walk(loop.node) for child in children(node)}
    resolve = sweeps.facts.kernel.module.resolve
    for read in reads_of(loop.node, name):
        around = parents[read]
        if isinstance(around, ast.Call) and around.func is not read:
            if resolve(around.func).removeprefix("triton.language.") not in _TAKES_NUMBERS:
                return False
        elif not isinstance(around, (ast.BinOp, ast.Compare)):
            return False
    return True
