"""Loops that reduce a tile into a name that they carry, and what is known to lose of them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.algebra.turns import goes_through_parts, length_and_tile, tiles_of
from tritonopt.facts.language import REDUCTIONS, SCANS
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.reduction_calls import reducing
from tritonopt.passes.defer_reduction.regrouping import Deferral
from tritonopt.rewriting.profitability import MOST_LIVE, threads_of
from tritonopt.source import Launch
from tritonopt.source.trees import walk

_MOST_THREADS = 1024
"""Of any program."""
_64_BITS = frozenset({"fp64", "int64", "uint64"})


@dataclass(frozen=True)
class Candidate:
    """A loop, and a name to which it brings the reductions of tiles."""

    loop: Loop
    name: str
    anchor: ast.stmt
    """The first statement that does."""
    is_innermost: bool


def candidates(facts: KernelFacts) -> Iterator[Candidate]:
    """Outer loops before inner ones, and of one loop the last statement before the first.

    What is written after a loop stands in the order of its statements then.
    """
    for loop in facts.loops:
        if not loop.inlined:
            found = (_candidate(facts, loop, name) for name in loop.carried)
            yield from sorted(filter(None, found), key=lambda c: c.anchor.lineno, reverse=True)


def _candidate(facts: KernelFacts, loop: Loop, name: str) -> Candidate | None:
    bringing = [s for s in walk(loop.node) if _brings(facts, loop, s, name)]
    if not bringing or not _is_carried_on(facts, loop, name):
        return None
    inner = {
        node
        for other in facts.loops
        if not other.inlined and loop in other.nest[:-1] and name in other.carried
        for node in walk(other.node)
    }
    anchor = bringing[0]
    assert isinstance(anchor, ast.stmt)
    return Candidate(loop, name, anchor, not inner.intersection(bringing))


def _is_carried_on(facts: KernelFacts, loop: Loop, name: str) -> bool:
    """Whether an iteration makes the name from what it was; else each starts it anew."""
    seen: set[Value] = set()
    todo = [loop.following[name]]
    while todo:
        for part in todo.pop().walk():
            if part is loop.carried[name] or part.op is Op.OPAQUE:
                return True
            if part.op is Op.RESULT and part not in seen:
                seen.add(part)
                inner = facts.loops[part.carrier.loop]
                todo += [ends[part.carrier.name] for ends in (inner.initial, inner.following)]
    return False


def _brings(facts: KernelFacts, loop: Loop, node: ast.AST, name: str) -> bool:
    """Whether a statement binds a name to something of itself and of a reduction.

    Not where it scales what it had, as an online softmax does: that is no sum of reductions.
    """
    match node:
        case ast.AugAssign(target=ast.Name(id=bound), value=value) if bound == name:
            pass
        case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
            if not any(isinstance(n, ast.Name) and n.id == name for n in walk(value)):
                return False
            if _is_scaled(value, name):
                return False
        case _:
            return False
    return any(_is_reduction(facts, loop, n, value) for n in walk(value))


def _is_scaled(value: ast.expr, name: str) -> bool:
    """Whether a sum has a name for a factor: `total * scale + tl.sum(x)`."""
    match value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return any(
                _is_scaled(side, name)
                or (
                    isinstance(side, ast.BinOp)
                    and isinstance(side.op, (ast.Mult, ast.Div))
                    and any(isinstance(n, ast.Name) and n.id == name for n in walk(side))
                )
                for side in (left, right)
            )
    return False


def _is_reduction(facts: KernelFacts, loop: Loop, node: ast.AST, whole: ast.expr) -> bool:
    """Whether a reduction stands there; or the name of one, which in a larger expression

    is made in the loop: `total += x * scale` scales by a maximum of another loop, say.
    """
    if isinstance(node, ast.Name):
        value = facts.values.get(node)
        if value is None or (node is not whole and not _varies(facts, loop, value)):
            return False
        while value.op is Op.PART:
            value = value.operand  # `top, place = tl.max(x, axis=0, return_indices=True)`
            if value.op is Op.RESHAPED:
                return value.function in REDUCTIONS
        return value.op is Op.REDUCE
    return isinstance(node, ast.expr) and reducing(facts, node) is not None


def _varies(facts: KernelFacts, loop: Loop, value: Value) -> bool:
    return loop.identity in facts.interpretation.variant_loops(value)


# What is kept, and what is saved


def check_registers(deferral: Deferral, attempt: Attempt, *, two_axes: bool) -> None:
    """Raises Declined for a tile that may not find registers.

    That is a long one, and one of several axes, which is larger than what is added up.
    """
    claim, reason, live = "tile-fits-the-registers", "tile-is-spilled", _live(deferral)
    kept = f"the loop would keep a tile [{tile_sizes(deferral)}]"
    if live is not None and live > MOST_LIVE:
        raise refuted(claim, reason, f"{kept}, {live} elements for each thread")
    if len(deferral.shape) == 1:
        return
    if not two_axes:
        raise unknown(claim, reason, f"{kept}: {{two_axes=true}} has it, where you measure a gain")
    if live is not None:
        attempt.prove(claim, f"a thread keeps {live} elements")


def tile_sizes(deferral: Deferral) -> str:
    return ", ".join(deferral.facts.forms.of(extent).readable for extent in deferral.shape)


def _live(deferral: Deferral) -> int | None:
    """Elements of the tile that a thread keeps, at the launch where these are most.

    A tuner chooses its best configuration. None where one launch does not show them; of a tile of
    one axis, where none does.
    """
    facts, found = deferral.facts, dict[Launch, list[int | None]]()
    size = reduce(operator.mul, map(facts.forms.of, deferral.shape), ONE)
    is_tuned = any(name == "triton.autotune" for name in facts.kernel.decorators)
    for binding in facts.launches.bindings:
        threads = None if is_tuned else threads_of(binding.launch)
        elements = _elements(deferral, substitute(size, binding), binding.launch)
        each = None if elements is None else ceil(elements / (threads or _MOST_THREADS))
        found.setdefault(binding.launch, []).append(each)
    shown = [None if None in own else min(filter(None, own)) for own in found.values()]
    if None in shown and len(deferral.shape) > 1:
        return None
    return max(filter(None, shown), default=None)


def _elements(deferral: Deferral, size: Polynomial, launch: Launch) -> Fraction | int | None:
    """Elements of the tile; of one that grows with the row, where that takes several."""
    if size.constant_value is not None:
        return size.constant_value
    steps = {deferral.facts.forms.of(extent) for extent in deferral.shape}
    for loop in deferral.facts.loops:
        row = length_and_tile(deferral.facts, loop)
        if loop.node in {own.node for own in deferral.loops} and row and steps == {row[1]}:
            tiles = [t for t in tiles_of(deferral.facts, loop) if t.where == launch.where]
            if tiles and all(t.grows and t.size for t in tiles):
                return min(filter(None, (t.size for t in tiles)))
    return None


def why_never(deferral: Deferral, deferrals: Sequence[Deferral]) -> str:
    """Why it gains at no size; "" where it may. `deferrals` are all of the kernel."""
    facts, own = deferral.facts, {loop.node for loop in deferral.loops}
    inner = {node for loop in own for node in walk(loop)} - own
    if any(loop.node in inner for loop in facts.loops):
        return "an iteration has a loop of its own, which takes longer"
    if any(goes_through_parts(facts, loop) for loop in deferral.loops):
        return "the loop goes through the results of other programs, which are few"
    updates = [update for each in deferrals for update in each.updates]
    named = [r.named for update in updates for r in update.reduced if r.named is not None]
    taken = {node for s in [*named, *(u.statement for u in updates)] for node in walk(s)}
    for call in (n for loop in own for n in walk(loop) if isinstance(n, ast.Call)):
        value = facts.values.get(call)
        if call in taken or value is None:
            continue
        if value.op is Op.REDUCE or value.function in SCANS:
            return f"the reduction in line {call.lineno} stays in the loop, and is waited for"
    if len(deferral.shape) > 1:
        return f"the tile has {len(deferral.shape)} axes"
    if deferral.dtype in _64_BITS and not facts.types.of(deferral.tile).all_in(_64_BITS):
        return f"the tile is of {deferral.dtype}, and what is reduced may be narrower"
    return ""
