"""What a final kernel computes: each store is the sum, or the extreme, of what another one stored.

One element of the output is combined from slots: elements of the buffer that differ in some
coordinates, and agree in those that say which element of the output it is.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import Effect, EffectKind, KernelFacts, Loop, Value
from tritonopt.facts import of as facts_of
from tritonopt.facts.algebra.atoms import Iteration, Lane, ProgramId
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.coordinates import Coordinate, coordinates_of
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import NUMERIC, NUMERIC_REDUCTIONS, Kind
from tritonopt.facts.recurrences.partials import TYPES
from tritonopt.facts.recurrences.reading import plain_update
from tritonopt.facts.recurrences.value_parts import all_parts
from tritonopt.source import Kernel, Launch

CLAIM = "nothing-else-is-lost"
DEFAULT = "fp32"
"""Of tensors that are made without a type, unless somebody tells torch another one."""
_DEFAULTS = ("set_default_dtype", "set_default_tensor_type")
_PLAIN = frozenset({"torch.empty", "torch.zeros"})
_FREE = frozenset({Op.IN_BRANCH, Op.POS})


@dataclass(frozen=True)
class SlotReduction:
    """One store of a final kernel."""

    load: Effect
    store: Effect
    buffer: str
    """The parameter that it loads from."""
    output: str
    combining: Kind
    dtype: str
    """Of the buffer, and of the result."""
    start: float | int | None
    """What all of it is combined with; None for the identity."""
    slots: tuple[Coordinate, ...]
    """Along which it is reduced."""
    kept: tuple[Coordinate, ...]
    strides: tuple[Polynomial, ...]
    """What each of the kept ones is multiplied by in the place that the result goes to."""
    unnamed: frozenset[str] = frozenset()
    """Those of its buffers that every launch makes without a type, so of torch's default one."""

    @property
    def begins_with_zero(self) -> bool:
        """Whether 0 is what the output holds before anything comes to it."""
        return self.combining is Kind.ADD or self.start == 0


def slot_reductions(facts: KernelFacts) -> list[SlotReduction]:
    """All that a kernel does, each store a reduction of one load. Raises Declined."""
    name = facts.kernel.name
    for effect in facts.effects:
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE) or effect.volatile:
            text = f"{effect.name} in line {effect.line} of {name} does more than to reduce"
            raise refuted(CLAIM, "kernel-does-more", text)
        if effect.guards:
            text = f"line {effect.line} of {name} is run under a condition"
            raise refuted(CLAIM, "kernel-does-more", text)
    found = [_Store(facts, e).read() for e in facts.effects if e.kind is EffectKind.STORE]
    loads = [e for e in facts.effects if e.kind is EffectKind.LOAD]
    used = [reduction.load for reduction in found]
    if len(used) != len(loads) or set(used) != set(loads):
        raise refuted(CLAIM, "kernel-does-more", f"{name} loads more than it reduces")
    if len({r.output for r in found}) != len(found):
        raise refuted(CLAIM, "kernel-does-more", f"{name} stores twice to one buffer")
    return found


class _Store:
    """One store of a kernel, followed back to the load that it is a reduction of."""

    def __init__(self, facts: KernelFacts, store: Effect) -> None:
        self._facts = facts
        self._store = store
        self._kinds: set[Kind] = set()
        self._starts: list[float | int] = []
        self._axes: list[int] | None = None
        """Of the load, from the left, that are left where the walk has come to."""
        self._loops: list[Loop] = []
        self._casts: list[Value] = []
        self._combined: list[Value] = []
        """What the reductions and the loops come to."""
        self._rank = 0
        """Of the load."""

    def read(self) -> SlotReduction:
        facts, store = self._facts, self._store
        assert store.stored is not None
        load = self._load_of(store.stored)
        if len(self._kinds) != 1:
            raise self._more("line {0} stores what is no reduction of what it loads")
        (combining,) = self._kinds
        buffer, output = self._buffers(load)
        dtype = self._dtype(load, buffer)
        self._check_starts(combining)
        if set(load.loops) != set(self._loops) or store.loops:
            raise self._more("line {0} is in a loop, or loads more than once")
        here, there = coordinates_of(facts, load), coordinates_of(facts, store)
        slots, kept = self._divided(load, here)
        if any(coordinate.bound is not None for coordinate in slots):
            self._check_other(load, combining)
        strides = self._strides(kept, there)
        start = self._starts[0] if self._starts and combining is not Kind.ADD else None
        unnamed = self._unnamed & {buffer, output} if buffer in self._unnamed else frozenset()
        return SlotReduction(
            load, store, buffer, output, combining, dtype, start, slots, kept, strides, unnamed
        )

    # The value

    def _load_of(self, value: Value) -> Effect:
        """The load that a value is a reduction of; notes what is met on the way to it."""
        match value.op:
            case Op.LOAD:
                self._rank = value.rank or 0
                self._axes = list(range(self._rank))
                return self._facts.interpretation.loads[value.number]
            case Op.CAST:
                found = self._load_of(value.operand)
                self._casts.append(value)
                return found
            case Op.REDUCE if value.reduction.name in NUMERIC_REDUCTIONS:
                found = self._load_of(value.operand)
                return self._reduced(value, found)
            case Op.RESULT:
                return self._looped(value)
            case op if op in _FREE:
                return self._load_of(value.operands[0])
        raise self._more("line {0} does more with what it loads than to reduce it")

    def _reduced(self, value: Value, found: Effect) -> Effect:
        _, axes, keeps = value.reduction
        self._kinds.add(NUMERIC_REDUCTIONS[value.reduction.name])
        assert self._axes is not None
        if keeps or value.operand.shape is None:
            raise self._more("line {0} keeps an axis along which it reduces")
        self._axes = [a for place, a in enumerate(self._axes) if place not in axes]
        self._combined.append(value)
        return found

    def _looped(self, value: Value) -> Effect:
        """A name to which each turn of a loop brings something."""
        loop, name = self._facts.loops[value.carrier.loop], value.carrier.name
        own = loop.carried[name]
        update = plain_update(loop, name)
        counted = loop.is_counted and not self._facts.exits_early(loop)
        if update is None or update[0] not in NUMERIC or not counted:
            raise self._more("line {0} does more in its loop than to reduce what it loads")
        kind, term = update
        start = loop.initial[name]
        while start.op in (Op.FULL, Op.CAST):
            start = start.operand
        number = start.constant
        if not isinstance(number, (int, float)) or math.isnan(number):
            raise self._more("line {0} begins with what is no number")
        self._kinds.add(kind)
        self._starts.append(number)
        self._loops.append(loop)
        self._combined.append(own)
        found = self._load_of(term)
        if own.shape is None or own.shape != term.shape:
            raise self._more("line {0} brings tiles of one shape to one of another")
        return found

    @cached_property
    def _unnamed(self) -> frozenset[str]:
        launches = self._facts.launches.launches
        found = [{n for n, a in la.arguments.items() if _has_no_type(la, a)} for la in launches]
        return frozenset(set.intersection(*found)) if found else frozenset()

    def _dtype(self, load: Effect, buffer: str) -> str:
        types = self._facts.types.behind(load)
        dtype = next(iter(types.seen)) if len(types.seen) == 1 and types.complete else None
        unnamed = dtype is None and not types.seen and buffer in self._unnamed
        dtype = DEFAULT if unnamed else dtype
        if dtype is None:
            text = f"the type of what line {load.line} of {self._facts.kernel.name} loads"
            raise unknown("accumulators-are-wide", "type-is-unknown", f"{text} is not seen")
        if dtype not in TYPES:
            text = f"the partial results are {dtype}"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", text)
        combined = map(self._facts.types.of, self._combined)
        if not all(
            t.all_in(frozenset({dtype})) or (unnamed and t.seen <= {dtype}) for t in combined
        ):
            raise self._more("line {0} computes in another type than the buffer's")
        # A cast of the result goes to the output, those below it change nothing.
        stored = self._store.stored
        if stored is not None and stored.op is Op.CAST:
            self._check_last_cast(self._casts.pop(), dtype)
        if any(cast.dtype != dtype for cast in self._casts):
            raise self._more("line {0} computes in another type than the buffer's")
        return dtype

    def _check_last_cast(self, cast: Value, dtype: str) -> None:
        """The last cast is to the output's own type, which the store makes of it anyway."""
        if cast.dtype == dtype:
            return
        stored = self._facts.types.behind(self._store)
        if cast.dtype is not None and stored.all_in(frozenset({cast.dtype})):
            return
        if cast.dtype is None:
            owner = cast.target
            element = owner.op is Op.ATTRIBUTE and owner.name == "element_ty"
            if element and owner.operand.op is Op.ATTRIBUTE and owner.operand.name == "dtype":
                pointer = owner.operand.operand
                bases = self._facts.bases(self._store) or frozenset()
                if pointer.op is Op.PARAM and bases == {pointer.name}:
                    return
        raise self._more("line {0} rounds to another type than the output's")

    def _check_other(self, load: Effect, combining: Kind) -> None:
        """What masked-off lanes hold changes nothing."""
        other = load.other.constant if load.other is not None else None
        if combining is Kind.ADD and type(other) in (int, float) and other == 0:
            return
        worst = combining.identity
        if combining is not Kind.ADD and type(other) is float and other == worst:
            return
        if combining is not Kind.ADD and self._starts and type(other) in (int, float):
            assert isinstance(other, (int, float))
            if all(other <= s if combining is Kind.MAX else other >= s for s in self._starts):
                return
        text = f"lanes that line {load.line} masks off may come into the result"
        raise refuted(CLAIM, "masked-off-lanes-count", text)

    def _check_starts(self, combining: Kind) -> None:
        if combining is Kind.ADD and any(self._starts):
            raise self._more("line {0} adds to something else than 0")
        if len(set(self._starts)) > 1:
            raise self._more("line {0} begins with several numbers")

    # The places

    def _buffers(self, load: Effect) -> tuple[str, str]:
        found: list[str] = []
        for effect in (load, self._store):
            bases = self._facts.bases(effect) or frozenset()
            if len(bases) != 1:
                text = f"which buffer line {effect.line} accesses is not known"
                raise unknown(CLAIM, "opaque-value", text)
            found += bases
        return found[0], found[1]

    def _divided(
        self, load: Effect, found: Sequence[Coordinate]
    ) -> tuple[tuple[Coordinate, ...], tuple[Coordinate, ...]]:
        """The coordinates that are reduced, and those that are kept."""
        assert self._axes is not None
        left = {self._rank - 1 - axis for axis in self._axes}
        slots: list[Coordinate] = []
        kept: list[Coordinate] = []
        for coordinate in found:
            reduced = {
                isinstance(p, Iteration) or (isinstance(p, Lane) and p.axis not in left)
                for p in coordinate.positions
            }
            stays = any(
                isinstance(p, ProgramId) or (isinstance(p, Lane) and p.axis in left)
                for p in coordinate.positions
            )
            if True in reduced and stays:
                text = f"each program reduces a part of what line {load.line} loads"
                raise refuted(CLAIM, "partials-do-not-match", text)
            (kept if stays else slots).append(coordinate)
        loops = {p.loop for c in slots for p in c.positions if isinstance(p, Iteration)}
        if loops != {loop.identity for loop in load.loops}:
            text = f"line {load.line} loads the same in each iteration of a loop"
            raise refuted(CLAIM, "partials-do-not-match", text)
        return tuple(slots), tuple(kept)

    def _strides(
        self, kept: Sequence[Coordinate], there: Sequence[Coordinate]
    ) -> tuple[Polynomial, ...]:
        """What the kept coordinates are multiplied by where the result is stored."""
        assert self._axes is not None
        places = [self._rank - 1 - axis for axis in self._axes]
        new = {old: len(places) - 1 - n for n, old in enumerate(places)}

        def moved(atom: Atom) -> Atom | None:
            return Lane(atom.extent, new[atom.axis]) if isinstance(atom, Lane) else None

        found = []
        left = list(there)
        for coordinate in kept:
            form = coordinate.form.map(moved)
            same = [c for c in left if c.form == form and c.bound == coordinate.bound]
            if len(same) != 1:
                raise self._more("line {0} stores to other places than it loads for")
            left.remove(same[0])
            found.append(same[0].stride)
        if left:
            raise self._more("line {0} stores to other places than it loads for")
        return tuple(found)

    def _more(self, text: str) -> Declined:
        said = f"{self._facts.kernel.name}: {text.format(self._store.line)}"
        return refuted(CLAIM, "kernel-does-more", said)


def _has_no_type(launch: Launch, argument: ast.expr) -> bool:
    """Whether it is a name for what `torch.empty` or `torch.zeros` made without a type."""
    changed = any(word in launch.module.text for word in _DEFAULTS)
    if launch.launcher is None or not isinstance(argument, ast.Name) or changed:
        return False
    made = names_of(launch.launcher).assigned.get(argument.id, [])
    for call in made:
        if not isinstance(call, ast.Call) or launch.module.resolve(call.func) not in _PLAIN:
            return False
        if not {keyword.arg for keyword in call.keywords} <= {"device", "size"}:
            return False
    return bool(made)


def reduces(kernel: Kernel, buffers: set[str]) -> bool:
    """Whether a kernel stores what it reduces of one of its buffers, whatever it does beside."""
    facts = facts_of(kernel)
    loads = {
        effect.order
        for effect in facts.effects
        if effect.kind is EffectKind.LOAD and not buffers.isdisjoint(facts.bases(effect) or ())
    }
    for effect in facts.effects:
        if effect.kind is EffectKind.STORE and effect.stored is not None:
            parts = list(all_parts(facts, effect.stored))
            loaded = any(p.op is Op.LOAD and p.number in loads for p in parts)
            if loaded and any(p.op in (Op.REDUCE, Op.RESULT) for p in parts):
                return True
    return False
