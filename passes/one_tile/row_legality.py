"""When the sweeps over a row can be written for one tile."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.accumulators import CARRIED, Update, updates_of
from tritonopt.emit.reuse import reused
from tritonopt.emit.stretch import Stretch, binds_first, surely_bound
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.trip_guards import does_nothing_when_empty, runs_always
from tritonopt.emit.writing import Writer, names_bound, reads_of
from tritonopt.facts import EffectKind, Loop, Value
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.memory.dependence import Accesses
from tritonopt.facts.operations import Op
from tritonopt.facts.values import is_float
from tritonopt.passes.one_tile.one_turn import Straightened, straightened, tidied
from tritonopt.source.trees import children, parents_of, walk

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
    attempt.prove("loops-are-plain", "each counts with one name, and runs to its end")
    may_be_empty = _may_be_empty(sweeps, attempt)
    _check_names(sweeps)
    updates, writer = updates_of(sweeps), Writer(sweeps.facts)
    sums = [update for update in updates if update.is_sum]
    straight = straightened(sweeps, [c for u in updates for c in u.changes(writer)])
    _check_types(sweeps, straight, {(u.loop.identity, u.name) for u in updates})
    attempt.prove("type-stays", "what a loop carried has the type that it had")
    loads = _loads(straight.stretch)
    names = {update.name for update in sums}
    stretch = reused(straight.stretch, straight.copies | names)
    counters = [n for loop in sweeps.loops for n in _targets(loop)]
    stretch = tidied(stretch, [*_carried(sweeps), *counters], sorted(names))
    saved = loads - _loads(stretch)
    if saved <= 0:
        detail = "no element is loaded twice without something that may write it in between"
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
    accesses.prove(attempt, "data-is-unchanged", "nothing is stored there on the way")


def _check_loops(sweeps: RowSweeps) -> None:
    for loop in sweeps.loops:
        where = f"the loop in line {loop.line}"
        node = loop.node
        sweeps.facts.check_ends(loop)
        counted = isinstance(node, ast.For) and isinstance(node.target, ast.Name)
        if counted and any(_targets(loop) & names_bound(s) for s in node.body):
            detail = f"{where} binds its own counter again"
            raise unknown("loops-are-plain", "loop-is-not-plain", detail)
        if not counted or loop.start is None or loop.kind == "other":
            detail = f"{where} is not over a range with one name"
            raise unknown("loops-are-plain", "loop-is-not-plain", detail)


def _check_path(sweeps: RowSweeps) -> None:
    for effect in sweeps.effects:
        if effect.kind is EffectKind.EXIT:
            detail = f"{effect.name} in line {effect.line} may leave before the end"
            raise refuted("loops-are-plain", "early-exit", detail)


def _may_be_empty(sweeps: RowSweeps, attempt: Attempt) -> str:
    """Why a row of no elements would be treated otherwise without the loops; "" where it is not."""
    claim, given = "sizes-are-positive", list[Assumption]()
    if all(runs_always(sweeps.facts, loop, given) for loop in sweeps.loops):
        attempt.prove(claim, "there is no row of no elements", given)
        return ""
    doing = [n for n in sweeps.loops if not does_nothing_when_empty(sweeps.facts, n)]
    if not doing:
        attempt.prove(claim, "of a row without elements all is masked off, and nothing added")
        return ""
    return (
        f"the loop in line {doing[0].line} does not run for a row of no elements, and without "
        "the loop something would be computed"
    )


def _check_names(sweeps: RowSweeps) -> None:
    """What a loop bound for itself must not be seen where another meaning of the name is."""
    facts, kernel = sweeps.facts, sweeps.facts.kernel.node
    inner = {n for loop in sweeps.loops for s in loop.node.body for n in names_bound(s)}
    inner |= {n for loop in sweeps.loops for n in _targets(loop)}
    new = {n for n in inner if n not in facts.before[sweeps.statements[0]]}
    _check_reads_behind(sweeps, inner, new)
    parents = parents_of(kernel)
    node: ast.stmt = sweeps.statements[0]
    while node in parents and not isinstance(parents[node], (ast.For, ast.While)):
        below, node = node, parents[node]
        if not isinstance(node, ast.If) or is_constexpr(facts, node.test):
            continue
        other = node.orelse if below in node.body else node.body
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
            carried = CARRIED.get(initial.dtype or "")
            if carried is None or (loop.identity, name) in gone:
                continue
            now = names.get(name)
            if not _is_of_type(now, carried) or not _takes_a_number(sweeps, loop, name):
                detail = (
                    f"{name} is a number before the loop in line {loop.line}, which makes it "
                    f"{carried}; without the loop it may be of another type"
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


def _loads(stretch: Stretch) -> int:
    """The loads of the stretch that are in none of its loops."""
    effects = (e for e in stretch.facts.effects if e.node in stretch.nodes)
    return sum(e.kind is EffectKind.LOAD for e in effects)


def _carried(sweeps: RowSweeps) -> list[str]:
    return sorted({name for loop in sweeps.loops for name in loop.carried})
