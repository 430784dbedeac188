"""That a loop over single elements may become one over tiles, and all that writing it needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.writing import names_bound
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.dtypes import FLOATS, INTEGERS, SOME_FLOAT, SOME_INTEGER
from tritonopt.facts.effects import Effect
from tritonopt.facts.memory.dependence import INDEPENDENT, Accesses, check_exchange, check_plain
from tritonopt.facts.memory.dependence import Kind as Common
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.recurrences.kinds import NUMERIC, Kind
from tritonopt.facts.recurrences.reading import RecurrenceReader
from tritonopt.facts.recurrences.reduction_calls import mentions
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.passes.scalar_loop.loop_bodies import (
    SUMS,
    Body,
    LaneUpdate,
    read_body,
    recurrence,
    updates_of_lanes,
)
from tritonopt.passes.scalar_loop.scalar_loops import ScalarLoop


def prove_memory_order(loop: ScalarLoop, attempt: Attempt, *, meets: bool) -> None:
    """Raises Declined where iterations, or threads, may touch one element.

    `meets` says that all threads meet after the loop, to reduce a tile.
    """
    order = _Order(loop)
    order.check_loop()
    check_exchange(loop.facts, loop.loop, loop.effects, order.accesses, meets=meets)
    otherwise = "each iteration stores to its own elements, if any"
    order.accesses.prove(attempt, INDEPENDENT, otherwise)
    attempt.prove(INDEPENDENT, "no other code in the kernel accesses the stored elements")


class _Order:
    def __init__(self, loop: ScalarLoop) -> None:
        self.loop = loop
        self.facts: KernelFacts = loop.facts
        self.accesses = Accesses(self.facts)

    def check_loop(self) -> None:
        effects = self.loop.effects
        check_plain(effects, (EffectKind.LOAD, EffectKind.STORE), "the iterations")
        written = [e for e in effects if e.kind is EffectKind.STORE]
        alike: list[Effect] = []
        stores: list[Effect] = []
        for store in written:
            own = self.accesses.of(store, store, self.loop.loop)
            if own.kind is not Common.OPEN:
                stores.append(store)
            elif self._is_alike(store):
                alike.append(store)
            else:
                raise unknown(INDEPENDENT, "dependence-between-iterations", own.why[0])
        loads = [e for e in effects if e.kind is EffectKind.LOAD]
        for store in alike:
            self._check_alike(store, effects)
        for one, other in combinations(stores, 2):
            self._check_pair(one, other, "store")
        for store, load in product(stores, loads):
            self._check_pair(store, load, "load")

    # Stores

    def _is_alike(self, store: Effect) -> bool:
        """Whether all iterations store the same value, those of loops around too."""
        assert store.stored is not None
        varying = set(self.facts.interpretation.variant_loops(store.stored))
        return varying.isdisjoint(loop.identity for loop in self.loop.loop.nest)

    def _check_alike(self, store: Effect, effects: Sequence[Effect]) -> None:
        """Wherever such a store goes, nothing else in the loop may touch that element."""
        for other in effects:
            if other.kind is EffectKind.STORE and other.stored is store.stored:
                continue
            if not self.accesses.are_disjoint(store, other):
                raise self._shared(store, other, other.name)

    def _check_pair(self, store: Effect, other: Effect, what: str) -> None:
        """Another access may touch the element that an iteration stores in that iteration only."""
        found = self.accesses.of(store, other, self.loop.loop)
        stored = other.kind is EffectKind.STORE
        ordered = stored or other.order < store.order
        in_order = ordered and (not stored or self.facts.bases(store) == self.facts.bases(other))
        if found.kind is Common.OPEN or (found.kind is Common.OWN and not in_order):
            raise self._shared(store, other, what)

    def _shared(self, store: Effect, other: Effect, what: str) -> Declined:
        text = (
            f"the {what} in line {other.line} may access elements that another iteration "
            "stores in line "
            f"{store.line}"
        )
        bases = (self.facts.bases(store) or frozenset()) | (self.facts.bases(other) or frozenset())
        if len(bases) == 2:
            text += f"; if it never does, give --assume 'disjoint({', '.join(sorted(bases))})'"
        return unknown(INDEPENDENT, "dependence-between-iterations", text)


# What an iteration takes over from the one before: a reduction, a prefix sum, or worse


class LaneMerge(str, Enum):
    REDUCED = "reduced"
    """By the operation that the loop combines with."""
    PREFIX = "prefix"
    """Not at all: an iteration needs the sum up to it, and the last one's is the sum of all."""
    INDEX = "index"
    """The index that goes with an extremum."""


@dataclass(frozen=True)
class Carried:
    """A name that an iteration hands on to the next, understood."""

    name: str
    kind: LaneMerge
    updates: tuple[LaneUpdate, ...]
    combining: Kind
    """Of what the lanes hold."""
    extremum: str = ""
    """Of an index, the name that it goes with."""


class _CarriedNames:
    """The recurrences of a loop, each with the statements by which it is written."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._scalar = body.loop
        self._loop = body.loop.loop
        self._updates: dict[str, tuple[LaneUpdate, ...]] = {}
        for name, value in self._loop.carried.items():
            if self._loop.following[name] is not value or self._is_bound(name):
                self._updates[name] = updates_of_lanes(body, name)
                if not self._updates[name]:
                    raise recurrence(name, self._scalar.node)
        prefixes = [name for name in self._updates if self._is_prefix(name)]
        self._reader = RecurrenceReader(
            body.loop.facts, self._loop, prefixes, NUMERIC, scalars=True
        )

    def all(self) -> Iterator[Carried]:
        for name, updates in self._updates.items():
            found = self._reader.recurrence(name)
            if found.extreme is not None:
                if found.extreme.exponential or len(updates) > 1 or self._elsewhere(name):
                    raise recurrence(name, updates[0].step.node)
                yield Carried(name, LaneMerge.INDEX, updates, Kind.MIN, found.extreme.name)
            elif found.chosen:
                with_it = [n for n in self._updates if self._extreme_of(n) == name]
                self._check_extremum(name, [name, *with_it])
                yield Carried(name, LaneMerge.REDUCED, updates, found.kind)
            elif not self._elsewhere(name):
                yield Carried(name, LaneMerge.REDUCED, updates, found.kind)
            elif name in self._reader.advancing:
                yield Carried(name, LaneMerge.PREFIX, updates, Kind.ADD)
            else:
                raise recurrence(name, self._elsewhere(name)[0])

    def _extreme_of(self, name: str) -> str:
        found = self._reader.extreme_of(name)
        return found.name if found is not None else ""

    def _is_bound(self, name: str) -> bool:
        places = mentions(self._scalar.node, name)
        return any(not isinstance(place.ctx, ast.Load) for place in places)

    def _elsewhere(self, name: str) -> list[ast.Name]:
        """Where the loop mentions a name, but not to update it."""
        own = {place for update in self._updates[name] for place in update.own}
        return [place for place in mentions(self._scalar.node, name) if place not in own]

    def _is_prefix(self, name: str) -> bool:
        """Whether the one addition of an iteration is read after it, and nowhere else."""
        update, *more = self._updates[name]
        elsewhere = self._elsewhere(name)
        if more or not elsewhere or update.step.branches or not update.plain:
            return False
        node = update.step.node
        match node:
            case ast.AugAssign(op=ast.Add()) | ast.Assign(value=ast.BinOp(op=ast.Add())):
                behind = node.end_lineno or node.lineno
                return all(place.lineno > behind for place in elsewhere)
        return False

    def _check_extremum(self, name: str, together: Sequence[str]) -> None:
        """It begins with a number, and nothing but what changes with it asks for it."""
        updates = [update for n in together for update in self._updates[n]]
        known = {place for u in updates for test in u.tests for place in mentions(test, name)}
        other = [place for place in self._elsewhere(name) if place not in known]
        if other:
            raise recurrence(name, other[0])
        changing = {update.step.node for update in updates}
        for step in self._body.steps:
            asks = any(any(mentions(branch.node.test, name)) for branch in step.branches)
            if asks and step.node not in changing:
                raise recurrence(name, step.node)
        initial = self._loop.initial[name].constant
        if not isinstance(initial, (int, float)) or initial != initial:
            text = f"{name} may start with NaN, which no comparison replaces"
            raise unknown(SUMS, "not-a-recurrence", text)


_WIDE = frozenset({"fp32", "fp64", "int32", "int64", "uint32", "uint64"})


@dataclass(frozen=True)
class Vectorization:
    body: Body
    carried: tuple[Carried, ...]
    dtypes: tuple[str, ...]
    """Of each carried name."""
    exact: bool

    @property
    def loop(self) -> ScalarLoop:
        return self.body.loop

    @property
    def facts(self) -> KernelFacts:
        return self.body.loop.facts


def prove_vectorization(loop: ScalarLoop, attempt: Attempt) -> Vectorization:
    _check_header(loop, attempt)
    body = read_body(loop)
    attempt.prove("iterations-are-independent", "every operation is done lane by lane")
    _check_names(loop)
    carried = tuple(_CarriedNames(body).all())
    types = _Types(loop, attempt)
    dtypes = tuple(types.check(name) for name in carried)
    what = ", ".join(f"{c.name} is {_WORDS[c.kind]}" for c in carried)
    attempt.prove("accumulators-are-sums", what or "no iteration needs values of another")
    meets = any(c.kind is not LaneMerge.PREFIX for c in carried)
    prove_memory_order(loop, attempt, meets=meets)
    exact = not any(map(_rounds, carried, dtypes))
    if not exact:
        check_pins(attempt, loop.facts)
    detail = "inactive lanes may have indices past the end of the loop"
    attempt.assume("no-int32-overflow", detail)
    return Vectorization(body, carried, dtypes, exact)


_WORDS = {
    LaneMerge.REDUCED: "reduced",
    LaneMerge.PREFIX: "a running sum",
    LaneMerge.INDEX: "the index of an extremum",
}


def _rounds(carried: Carried, dtype: str) -> bool:
    """Whether another order may give other bits; of the sign of a zero too."""
    chosen = any(update.combining is None for update in carried.updates)
    return dtype in FLOAT_BITS and (carried.combining.rounds or chosen)


def _check_header(loop: ScalarLoop, attempt: Attempt) -> None:
    facts, found = loop.facts, loop.loop
    claim, where = "loops-are-plain", f"the loop in line {found.line}"
    facts.check_parameters()
    facts.check_ends(found, "warp_specialize")
    call = loop.node.iter
    if not isinstance(call, ast.Call) or not isinstance(loop.node.target, ast.Name):
        raise unknown(claim, "loop-is-not-plain", f"{where} has several induction variables")
    if found.step is None:
        raise unknown(claim, "loop-is-not-plain", f"{where} is not over a range")
    if found.kind == "tl.static_range":
        text = f"{where} is unrolled by the compiler: write tl.range if it is long"
        raise refuted(claim, "loop-is-not-plain", text)
    for bound in (found.start, found.stop, found.step):
        if bound is None or bound.shape != ():
            raise unknown(claim, "loop-is-not-plain", f"{where} has bounds of another kind")
        if facts.types.of(bound).some_in(INTEGERS - {"int32", "int64", "some integer"}):
            raise unknown(
                claim, "loop-is-not-plain", f"the induction variable of {where} has another type"
            )
    number = facts.forms.of(found.step).constant_value
    if number is None and not facts.forms.is_positive(facts.forms.of(found.step)):
        attempt.assume("sizes-are-positive", f"the step of {where} is at least 1")
    attempt.prove(claim, "no iteration ends early")


def _check_names(loop: ScalarLoop) -> None:
    """What the loop binds for itself becomes tiles: it must not be read behind it."""
    facts, found = loop.facts, loop.loop
    own = names_bound(loop.node) - set(found.carried)
    for node in facts.kernel.nodes:
        if not isinstance(node, ast.Name) or node.id not in own or node in loop.nodes:
            continue
        value = facts.values.get(node)
        left = value is None or any(p.op is Op.OPAQUE for p in value.walk()) or loop.is_lane(value)
        if left and isinstance(node.ctx, ast.Load):
            text = f"line {node.lineno} reads {node.id}, which the loop binds for itself"
            raise refuted("type-stays", "name-is-bound-elsewhere", text)


@dataclass(frozen=True)
class _Types:
    loop: ScalarLoop
    attempt: Attempt

    def check(self, carried: Carried) -> str:
        name = carried.name
        dtype = self._own(name)
        claim = "accumulators-are-wide"
        if dtype is None:
            text = f"the type of {name} is not known before the loop"
            raise unknown(claim, "type-is-unknown", text)
        if dtype not in _WIDE:
            text = f"{name} is {dtype}, in which a tile may be reduced in another type"
            raise refuted(claim, "accumulator-is-narrow", text)
        for update in carried.updates:
            self._check_term(name, dtype, update.term)
        if carried.kind is LaneMerge.INDEX and dtype in FLOAT_BITS:
            text = f"{name} is a float, and its order differs from the loop's"
            raise unknown(claim, "type-is-unknown", text)
        self.attempt.prove(claim, f"{name} is {dtype}")
        return dtype

    def _own(self, name: str) -> str | None:
        """As the kernel says it."""
        loop = self.loop.loop
        types = self.loop.facts.types.of(loop.carried[name])
        initial = loop.initial[name]
        if types.complete and len(types.seen) == 1 and not types.by_launch:
            (dtype,) = types.seen
            return None if dtype in (SOME_FLOAT, SOME_INTEGER) else dtype
        number = initial.constant
        if isinstance(number, float):
            return "fp32"
        return None

    def _check_term(self, name: str, dtype: str, node: ast.expr) -> None:
        """What is known of it must fit: the loop would not compile otherwise."""
        types = self.loop.facts.types.of(self.loop.facts.values[node])
        wider = {"int32": frozenset({"int64", "uint64", "uint32"}) | FLOATS}.get(dtype, frozenset())
        wider |= {"fp32": frozenset({"fp64"})}.get(dtype, frozenset())
        wider |= {"int64": frozenset({"uint64"}) | FLOATS}.get(dtype, frozenset())
        if types.some_in(wider):
            text = f"{name} is {dtype}, and line {node.lineno} combines it with {types.where}"
            raise unknown("accumulators-are-wide", "accumulator-is-narrow", text)
