"""Whether the reductions of a loop may wait until it has ended.

Every lane of every tile comes into the result once, before and after: what masked-off lanes hold
comes in as it did. So all that is asked is that the operation regroups, that nothing sees the
accumulator before the end, and that each lane is combined in the type of the accumulator.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.writing import block_of, comments_in
from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.algebra.turns import goes_through_parts, length_and_tile, tiles_of
from tritonopt.facts.dtypes import BOOLEANS, FLOATS, INTEGERS, SOME_FLOAT, SOME_INTEGER, Types
from tritonopt.facts.language import REDUCTIONS, SCANS
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reduction_calls import (
    Reduced,
    Update,
    mentions,
    reducing,
    update_of,
)
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.rewriting.profitability import MOST_LIVE, threads_of
from tritonopt.source import Launch
from tritonopt.source.trees import walk

_WIDE = frozenset({"fp32", "fp64", "int32", "int64", "uint32", "uint64"})
_SMALL = BOOLEANS | {"int8", "uint8"}
"""Types of which the sum of a tile is always within int32, in which Triton takes it."""
_INTO_INT32 = _SMALL | {"int16", "uint16", "int32"}
_INTO_INT64 = _INTO_INT32 | {"uint32", "int64"}
_INTO_FP32 = _INTO_INT64 | {"uint64", "fp16", "bf16", "fp32"}
_STAYS: Mapping[str, frozenset[str]] = {
    "int32": _INTO_INT32,
    "int64": _INTO_INT64,
    "fp32": _INTO_FP32,
    "fp64": _INTO_FP32 | {"fp64"},
}
"""By the type of an accumulator, the types of tiles that can be added to it and leave it so."""
_MAY_WRAP = INTEGERS - _SMALL - {"int64", "uint64"}


@dataclass(frozen=True)
class Deferral:
    """An accumulator that may be a tile from one statement of a block to another."""

    facts: KernelFacts
    name: str
    block: tuple[ast.stmt, ...]
    """The statements around, ..."""
    first: ast.For | ast.While
    """... the loop that is the first of them to update it, ..."""
    last: ast.stmt
    """... and the last one that does."""
    updates: tuple[Update, ...]
    combining: Kind
    initial: Value
    extent: Value
    """Of the tile, which has one axis."""
    dtype: str
    """Of the accumulator."""
    tile: Value
    """What one update reduces."""
    exact: bool

    @property
    def size(self) -> Polynomial:
        """The number of elements of the tile."""
        return self.facts.forms.of(self.extent)

    @property
    def loops(self) -> Iterator[Loop]:
        """The loops that update it, outer before inner."""
        statements = [u.statement for u in self.updates]
        for loop in self.facts.loops:
            if not loop.inlined and not set(statements).isdisjoint(walk(loop.node)):
                yield loop


def prove_deferral(facts: KernelFacts, loop: Loop, name: str, attempt: Attempt) -> Deferral:
    """Goes through the conditions; raises Declined at the first one that does not hold."""
    block = block_of(facts.kernel.node, loop.node)
    last = _Run(facts, block, loop, name).last
    return _Legality(facts, block, loop, name, last, attempt).check()


def updates_in(facts: KernelFacts, name: str, statements: Sequence[ast.stmt]) -> list[Update]:
    """Every update of a name. Raises Declined where the statements do anything else with it."""
    found = [
        update_of(facts, name, node)
        for statement in statements
        for node in walk(statement)
        if isinstance(node, (ast.Assign, ast.AugAssign)) and _binds(node, name)
    ]
    known = {place for update in found for place in update.names}
    for place in (place for statement in statements for place in mentions(statement, name)):
        if place not in known:
            text = f"line {place.lineno} uses {name} for more than combining it with reductions"
            raise refuted("accumulators-are-sums", "accumulator-is-read", text)
    return found


def _binds(statement: ast.Assign | ast.AugAssign, name: str) -> bool:
    return any(isinstance(place.ctx, ast.Store) for place in mentions(statement, name))


@dataclass(frozen=True)
class _Run:
    """From a loop on, the statements of a block that update one accumulator in one way."""

    facts: KernelFacts
    block: Sequence[ast.stmt]
    loop: Loop
    name: str

    @property
    def last(self) -> ast.stmt:
        """The last of them: a loop after it, the last tile apart, or the loop itself."""
        last: ast.stmt = self.loop.node
        try:
            kind = self._kind(last)
            for statement in self.block[self.block.index(last) + 1 :]:
                if not any(mentions(statement, self.name)):
                    continue
                if self._kind(statement) != kind or self._leaves(statement):
                    break
                last = statement
        except Declined:
            pass
        return last

    def _kind(self, statement: ast.stmt) -> object:
        updates = updates_in(self.facts, self.name, [statement])
        parts = [p for u in updates for r in u.reduced for p in (r.tile, r.whole)]
        return {u.combining for u in updates}, {self.facts.values[p].shape for p in parts}

    def _leaves(self, statement: ast.stmt) -> bool:
        exits = {e.node for e in self.facts.effects if e.kind is EffectKind.EXIT}
        start = self.block.index(self.loop.node)
        between = self.block[start : self.block.index(statement) + 1]
        return any(not exits.isdisjoint(walk(s)) for s in between)


@dataclass(frozen=True)
class _Legality:
    """One accumulator and the statements that update it, condition by condition."""

    facts: KernelFacts
    block: Sequence[ast.stmt]
    loop: Loop
    name: str
    last: ast.stmt
    attempt: Attempt

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """From the loop to the last statement that updates the accumulator."""
        start, end = self.block.index(self.loop.node), self.block.index(self.last)
        return list(self.block[start : end + 1])

    @cached_property
    def nodes(self) -> frozenset[ast.AST]:
        return frozenset(node for statement in self.statements for node in walk(statement))

    def check(self) -> Deferral:
        self._check_loops()
        updates = updates_in(self.facts, self.name, self.statements)
        combining = self._combining(updates)
        reduced = [r for update in updates for r in update.reduced]
        extent = self._extent(reduced)
        dtype, exact = self._dtype(combining, reduced)
        self._check_text(reduced)
        if combining.rounds and not exact:
            check_pins(self.attempt, self.facts)
        first = self.loop.node
        return Deferral(
            self.facts,
            self.name,
            tuple(self.block),
            first,
            self.last,
            tuple(updates),
            combining,
            self.loop.initial[self.name],
            extent,
            dtype,
            self.facts.values[reduced[0].tile],
            exact or not combining.rounds,
        )

    def _check_bound(self, initial: Value) -> None:
        """Behind the loop the accumulator is read, so it has to have a value before it."""
        if initial.op is Op.IN_BRANCH:
            text = f"{self.name} has a value before the loop in one branch only"
            raise refuted("is-expressible", "name-is-bound-elsewhere", text)
        if initial.op is Op.PHI:
            self._check_bound(initial.then)
            self._check_bound(initial.other)

    def _check_loops(self) -> None:
        self._check_bound(self.loop.initial[self.name])
        self.facts.check_parameters()
        claim = "loops-are-plain"
        for loop in self.facts.loops:
            if loop.inlined or loop.node not in self.nodes:
                continue
            if loop.kind == "other":
                text = f"the loop in line {loop.line} is not over `range` or `tl.range`"
                raise unknown(claim, "loop-is-not-plain", text)
            self.facts.check_ends(loop, "warp_specialize")
        self.attempt.prove(claim, "no iteration ends early")

    def _combining(self, updates: Sequence[Update]) -> Kind:
        kinds = {update.combining for update in updates}
        if len(kinds) > 1:
            nouns = " and ".join(sorted(kind.noun for kind in kinds))
            raise refuted("accumulators-are-sums", "not-a-recurrence", f"the loop takes a {nouns}")
        (combining,) = kinds
        for update in updates:
            for reduced in update.reduced:
                if reduced.named is not None and reduced.named not in self.nodes:
                    text = f"the reduction in line {reduced.named.lineno} is outside of the loop"
                    raise refuted("accumulators-are-sums", "not-a-recurrence", text)
        only = f"{self.name} is only combined with reductions, and not read before the end"
        self.attempt.prove("accumulators-are-sums", only)
        self.attempt.prove("accumulators-are-sums", f"all of them take the {combining.noun}")
        return combining

    def _extent(self, reduced: Sequence[Reduced]) -> Value:
        claim, values = "accumulators-are-sums", self.facts.values
        shapes = {values[r.tile].shape for r in reduced}
        results = {values[r.whole].shape for r in reduced}
        initial = self.loop.initial[self.name].shape
        if shapes & {None, ()} or None in results or initial is None:
            text = "the shape of what is reduced is not known"
            raise unknown(claim, "shapes-differ", text)
        if len(shapes) != 1:
            raise refuted(claim, "shapes-differ", "tiles of different shapes are reduced")
        if results != {initial}:
            text = f"{self.name} has another shape than the reduction"
            raise refuted(claim, "shapes-differ", text)
        shape = shapes.pop() or ()
        sizes = ", ".join(self.facts.forms.of(extent).readable for extent in shape)
        if len(shape) > 1:
            text = (
                f"the loop would keep a tile [{sizes}], which is larger than the tile that it adds"
            )
            raise refuted("tile-fits-the-registers", "tile-is-spilled", text)
        nest = {loop.identity for loop in self.facts.loops if loop.node in self.nodes}
        for extent in shape:
            if nest & set(self.facts.interpretation.variant_loops(extent)):
                raise refuted(claim, "shapes-differ", "the tile has another size in each iteration")
        self.attempt.prove(claim, f"all tiles are [{sizes}]")
        return shape[0]

    def _dtype(self, combining: Kind, reduced: Sequence[Reduced]) -> tuple[str, bool]:
        """The type of the accumulator, and whether nothing is rounded in it."""
        claim = "accumulators-are-wide"
        dtype = self._own_type()
        if dtype not in _WIDE:
            narrow = f"{self.name} is {dtype}, and a reduction may be computed in another type"
            raise refuted(claim, "accumulator-is-narrow", narrow)
        for one in reduced:
            self._check_casts(one, dtype)
            self._check_terms(one, dtype)
        self.attempt.prove(claim, f"{self.name} is {dtype}")
        self._check_unrolled(reduced, dtype)
        if combining.repeats and not combining.symbol:
            return dtype, True
        if dtype in FLOAT_BITS:
            self._check_floats(reduced)
            return dtype, False
        if not all(self._stays_in_range(combining, dtype, one) for one in reduced):
            text = f"one tile is not reduced in {dtype}, the type of {self.name}, and may overflow"
            raise unknown("accumulators-are-wide", "reduction-may-overflow", text)
        self.attempt.prove("accumulators-are-wide", f"integers are reduced in {dtype}, or fit it")
        return dtype, True

    def _own_type(self) -> str:
        """As the kernel says it."""
        types = self.facts.types.of(self.loop.carried[self.name])
        if types.complete and len(types.seen) == 1 and not types.by_launch:
            (dtype,) = types.seen
            if dtype not in (SOME_FLOAT, SOME_INTEGER):
                return dtype
        text = f"the type of {self.name} is not known before the loop"
        raise unknown("accumulators-are-wide", "type-is-unknown", text)

    def _check_casts(self, one: Reduced, dtype: str) -> None:
        """What is cast before it is added, in the reduction or after it, is not cast any more."""
        values = self.facts.values
        if not one.casts and self._reduced_value(one) is values[one.tile]:
            return
        same = all(values[cast].dtype == dtype for cast in one.casts)
        stays = _STAYS.get(dtype, frozenset())
        if not same or not self.facts.types.of(values[one.tile]).all_in(stays):
            text = (
                f"the reduction in line {one.whole.lineno} is computed in, or cast to, "
                "another type than that of the accumulator"
            )
            raise unknown("accumulators-are-wide", "reduction-is-cast", text)

    def _check_terms(self, one: Reduced, dtype: str) -> None:
        """`tl.sum(a) - tl.sum(b)` becomes `a - b`, which is made in their own type."""
        if one.alone or self._is_of(one, frozenset({dtype})):
            return
        text = (
            f"line {one.whole.lineno} adds reductions that are not known to have the "
            "accumulator's type"
        )
        raise unknown("accumulators-are-wide", "reduction-may-overflow", text)

    def _check_unrolled(self, reduced: Sequence[Reduced], dtype: str) -> None:
        """In a loop that the compiler unrolls, a name may change its type."""
        for loop in self.facts.loops:
            if loop.kind != "tl.static_range" or loop.node not in self.nodes:
                continue
            if not all(self._is_of(one, frozenset({dtype})) for one in reduced):
                text = (
                    f"the compiler unrolls the loop in line {loop.line}, and {self.name} may be of "
                    "another type then"
                )
                raise unknown("accumulators-are-wide", "unrolled-loop", text)

    def _check_floats(self, reduced: Sequence[Reduced]) -> None:
        claim = "accumulators-are-wide"
        if any(self._types(one).some_in(_MAY_WRAP) and not self._is_small(one) for one in reduced):
            text = "one tile of integers is summed in its own type, which may overflow"
            raise unknown(claim, "reduction-may-overflow", text)
        if all(self._is_of(one, FLOATS) or self._is_small(one) for one in reduced):
            self.attempt.prove(claim, "floats are reduced, or integers that cannot leave int32")
        else:
            text = "what is reduced are floats, or integers of which one tile's sum fits their type"
            self.attempt.assume(claim, text)

    def _stays_in_range(self, combining: Kind, dtype: str, one: Reduced) -> bool:
        """Whether the tile is reduced in the accumulator's own type, or exactly in another."""
        if self._is_of(one, frozenset({dtype})):
            return True
        if combining is Kind.ADD:
            # To int32 only what is widened to it can be added in a loop; int64 takes more.
            return dtype in ("int32", "uint32") or self._is_small(one)
        return combining is not Kind.MUL  # bits stay what they are in a wider type

    def _reduced_value(self, one: Reduced) -> Value:
        """What is reduced: with `dtype=` in the reduction, what that makes of the tile."""
        return self.facts.values[one.calls[-1].call].operand

    def _types(self, one: Reduced) -> Types:
        return self.facts.types.of(self._reduced_value(one))

    def _is_of(self, one: Reduced, types: frozenset[str]) -> bool:
        return self._types(one).all_in(types)

    def _is_small(self, one: Reduced) -> bool:
        """Whether a tile of integers of 8 bits is reduced, in that type or in a wider one."""
        value = self._reduced_value(one)
        while value.op is Op.CAST and self.facts.types.of(value).all_in(_MAY_WRAP | _SMALL):
            if self.facts.types.of(value).all_in(_SMALL):
                return True
            value = value.operand
        return self.facts.types.of(value).all_in(_SMALL)

    def _check_text(self, reduced: Sequence[Reduced]) -> None:
        """With the calls nothing else may go: what gives the axis, or a comment."""
        claim, text = "nothing-else-is-lost", self.facts.kernel.module.text_of
        for one in reduced:
            lost = set(walk(one.whole)) - set(walk(one.tile))
            if any(isinstance(n, ast.NamedExpr) for n in lost) or (
                not self.facts.effect_nodes.isdisjoint(lost)
            ):
                raise refuted(claim, "effect-inside", "the expression for the axis has an effect")
            if comments_in(text(one.whole)) > comments_in(text(one.tile)):
                raise refuted(claim, "comment-inside", "a comment inside would be lost")


# Loops that reduce a tile into a name that they carry, and what is known to lose of them

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


def check_registers(deferral: Deferral) -> None:
    """Raises Declined for a tile that may not find registers."""
    live = _live(deferral)
    if live is not None and live > MOST_LIVE:
        kept = f"the loop would keep a tile [{deferral.size.readable}]"
        detail = f"{kept}, {live} elements for each thread"
        raise refuted("tile-fits-the-registers", "tile-is-spilled", detail)


def _live(deferral: Deferral) -> int | None:
    """Elements of the tile that a thread keeps, at the launch where these are most.

    A tuner chooses its best configuration. None where no launch shows them.
    """
    facts, found = deferral.facts, dict[Launch, list[int | None]]()
    is_tuned = any(name == "triton.autotune" for name in facts.kernel.decorators)
    for binding in facts.launches.bindings:
        threads = None if is_tuned else threads_of(binding.launch)
        elements = _elements(deferral, substitute(deferral.size, binding), binding.launch)
        each = None if elements is None else ceil(elements / (threads or _MOST_THREADS))
        found.setdefault(binding.launch, []).append(each)
    shown = [None if None in own else min(filter(None, own)) for own in found.values()]
    return max(filter(None, shown), default=None)


def _elements(deferral: Deferral, size: Polynomial, launch: Launch) -> Fraction | int | None:
    """Elements of the tile; of one that grows with the row, where that takes several."""
    if size.constant_value is not None:
        return size.constant_value
    for loop in deferral.facts.loops:
        row = length_and_tile(deferral.facts, loop)
        if loop.node in {own.node for own in deferral.loops} and row and row[1] == deferral.size:
            tiles = [t for t in tiles_of(deferral.facts, loop) if t.where == launch.where]
            if tiles and all(t.grows and t.size for t in tiles):
                return min(filter(None, (t.size for t in tiles)))
    return None


def why_never(deferral: Deferral, deferrals: Sequence[Deferral]) -> str:
    """Why it gains at no size; "" where it may. `deferrals` are all of the kernel."""
    facts, own = deferral.facts, {loop.node for loop in deferral.loops}
    inner = {node for loop in own for node in walk(loop)} - own
    if any(loop.node in inner for loop in facts.loops):
        return "an iteration contains a loop, which takes longer"
    if any(goes_through_parts(facts, loop) for loop in deferral.loops):
        return "the loop runs over the results of other programs, which are few"
    updates = [update for each in deferrals for update in each.updates]
    named = [r.named for update in updates for r in update.reduced if r.named is not None]
    taken = {node for s in [*named, *(u.statement for u in updates)] for node in walk(s)}
    for call in (n for loop in own for n in walk(loop) if isinstance(n, ast.Call)):
        value = facts.values.get(call)
        if call in taken or value is None:
            continue
        if value.op is Op.REDUCE or value.function in SCANS:
            return (
                f"the reduction in line {call.lineno} stays in the loop, and every "
                "iteration waits for it"
            )
    if deferral.dtype in _64_BITS and not facts.types.of(deferral.tile).all_in(_64_BITS):
        return f"the tile is of {deferral.dtype}, and the reduced values may be narrower"
    return ""
