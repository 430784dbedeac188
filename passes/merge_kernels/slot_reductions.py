"""What a final kernel computes: each store is the sum, or the extreme, of what another one stored.

One element of the output is combined from slots: elements of the buffer that differ in some
coordinates, and agree in those that say which element of the output it is.

The coordinates of an access are numbers from 0 on, each with what it is multiplied by in the
address. `P + row * N + cols` where `cols < N` has two: the row, which is a program id, times N, and
the column, which is below N, times 1. Between them they say which elements are accessed.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import Effect, EffectKind, KernelFacts, Loop, Value
from tritonopt.facts import of as facts_of
from tritonopt.facts.algebra.atoms import (
    Iteration,
    Lane,
    Mod,
    Negative,
    PowerOfTwo,
    ProgramId,
    ceiling_division,
)
from tritonopt.facts.algebra.polynomial import ONE, Atom, Polynomial
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import NUMERIC, NUMERIC_REDUCTIONS, Kind
from tritonopt.facts.recurrences.partials import TYPES
from tritonopt.facts.recurrences.reading import all_parts, plain_update
from tritonopt.facts.reductions import number_of
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.source import Kernel, Launch

CLAIM = "nothing-else-is-lost"
COMBINED = "accumulators-can-be-combined"
DEFAULT = "fp32"
"""Of tensors that are made without a type, unless somebody tells torch another one."""
_DEFAULTS = ("set_default_dtype", "set_default_tensor_type")
_PLAIN = frozenset({"torch.empty", "torch.zeros"})
_FREE = frozenset({Op.IN_BRANCH, Op.POS})


class Shared(Atom, tag="shared", is_position=True):
    """The number of a group of programs, which take turns: `row % GROUPS`."""

    count: Polynomial


POSITIONS = (ProgramId, Lane, Iteration, Shared)


def not_understood(text: str) -> Declined:
    """An address or a mask is none that is understood."""
    return unknown(COMBINED, "opaque-value", text)


@dataclass(frozen=True)
class Coordinate:
    """One number of an access, in the terms of its kernel."""

    form: Polynomial
    """Of program ids, lanes and iterations."""
    stride: Polynomial
    bound: Polynomial | None
    """The mask lets it be below this; None where there is no mask for it."""

    @property
    def positions(self) -> frozenset[Atom]:
        return frozenset(positions_in(self.form))


def positions_in(form: Polynomial) -> Iterable[Atom]:
    return (leaf for leaf in form.leaves() if isinstance(leaf, POSITIONS))


def coordinates_of(
    facts: KernelFacts, effect: Effect, group: Mod | None = None
) -> tuple[Coordinate, ...]:
    """The coordinates of an access to one parameter. Raises Declined.

    `group` is the number of a group of programs, which counts as one coordinate.
    """
    assert effect.pointer is not None
    base, rest = facts.forms.address(effect.pointer)
    if base is None:
        raise not_understood(f"where line {effect.line} goes to is not understood")
    if group is not None:
        shared = Shared(group.divisor)
        rest = rest.map(lambda atom: shared if atom == group else None)
    found: list[Coordinate] = []
    for form, bound in _bounds(facts, effect):
        atom = next((a for a in positions_in(form) if _factor(form, a) == ONE), None)
        stride = _factor(rest, atom) if atom is not None else None
        if stride is None or stride.is_zero:
            text = f"the mask in line {effect.line} does not compare the index"
            raise not_understood(text)
        rest -= stride * form
        found.append(Coordinate(form, stride, bound))
    for atom in sorted(set(positions_in(rest)), key=lambda a: a.key):
        stride = _factor(rest, atom)
        if stride is None:
            raise not_understood(f"where line {effect.line} goes to is not understood")
        rest -= stride * Polynomial.of(atom)
        found.append(Coordinate(Polynomial.of(atom), stride, None))
    if not rest.is_zero:
        raise not_understood(f"line {effect.line} does not start at the start of its buffer")
    _check_lanes(effect, found)
    return tuple(found)


def _bounds(facts: KernelFacts, effect: Effect) -> list[tuple[Polynomial, Polynomial]]:
    """(form, bound) for each part of the mask, `form < bound`."""
    if effect.mask is None or effect.mask.is_none:
        return []
    condition = facts.forms.condition(effect.mask)
    terms = list(condition.terms.items())
    known = len(terms) == 1 and terms[0][1] == 1
    found = []
    for atom, _ in terms[0][0] if known else ():
        known = known and isinstance(atom, Negative)
        for limit in atom.inside[:1]:
            places = (m for m in limit.terms if any(isinstance(a, POSITIONS) for a, _ in m))
            form = Polynomial({m: limit.terms[m] for m in places})
            known = known and not {*positions_in(form - limit)}
            found.append((form, form - limit))
    if not known:
        raise not_understood(f"the mask in line {effect.line} is not understood")
    return found


def _factor(form: Polynomial, atom: Atom) -> Polynomial | None:
    """What an atom is multiplied by; None where it comes in otherwise too."""
    parts = form.linear_in(atom)
    return None if parts is None or {*positions_in(parts[0])} else parts[0]


def _check_lanes(effect: Effect, found: Iterable[Coordinate]) -> None:
    """Each lane goes to an element of its own."""
    assert effect.pointer is not None
    shape = effect.pointer.shape
    if shape is None:
        raise not_understood(f"the shape of what line {effect.line} accesses is not known")
    axes = {p.axis for c in found for p in c.positions if isinstance(p, Lane)}
    wide = {len(shape) - 1 - n for n, extent in enumerate(shape) if extent.constant != 1}
    if axes != wide:
        raise not_understood(f"several lanes of line {effect.line} go to one element")


def span(form: Polynomial, size_of: Callable[[Atom], Polynomial | None]) -> list[Polynomial]:
    """The factors of how many numbers a coordinate takes, each of them once, from 0 on.

    `size_of` says how many numbers a position takes. All is in terms of the launcher, the form
    too. Raises Declined where it may take a number twice, or leave one out.
    """
    left = {atom: _factor(form, atom) for atom in positions_in(form)}
    factors: list[Polynomial] = []
    reached = ONE
    while left:
        atom = next((a for a, factor in left.items() if factor == reached), None)
        size = size_of(atom) if atom is not None else None
        if atom is None or size is None:
            raise not_understood("it may read an element twice, or not at all")
        del left[atom]
        form = form - Polynomial.of(atom) * reached
        factors.append(size)
        reached = reached * size
    if not form.is_zero:
        raise not_understood("it does not start at 0")
    return factors


def reaches(factors: list[Polynomial], bound: Polynomial) -> bool:
    """Whether so many numbers are all those below a bound, and more at most."""
    before, last = ONE, factors[-1]
    for factor in factors[:-1]:
        before = before * factor
    total = (before * last - bound).constant_value
    if total is not None and total >= 0:
        return True
    if last == ceiling_division(bound, before):
        return True
    return last == Polynomial.of(PowerOfTwo(bound)) and before == ONE


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
    is_least: bool
    """Whether it starts with what masked-off lanes hold, so that no partial result may be less."""
    count: str
    """The parameter by which the result is divided in the end; "" for none."""
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

    @property
    def may_count_masked_off(self) -> Declined:
        text = f"inactive lanes of the load in line {self.load.line} may enter the result"
        return refuted(CLAIM, "masked-off-lanes-count", text)


def slot_reductions(facts: KernelFacts) -> list[SlotReduction]:
    """All that a kernel does, each store a reduction of one load. Raises Declined."""
    name = facts.kernel.name
    for effect in facts.effects:
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE) or effect.volatile:
            text = f"{effect.name} in line {effect.line} of {name} does more than reduce"
            raise refuted(CLAIM, "kernel-does-more", text)
        if effect.guards:
            text = f"line {effect.line} of {name} is under a condition"
            raise refuted(CLAIM, "kernel-does-more", text)
    found = [_Store(facts, e).read() for e in facts.effects if e.kind is EffectKind.STORE]
    loads = [e for e in facts.effects if e.kind is EffectKind.LOAD]
    used = [reduction.load for reduction in found]
    if len(used) != len(loads) or set(used) != set(loads):
        raise refuted(CLAIM, "kernel-does-more", f"{name} loads elements that it does not reduce")
    if len({r.output for r in found}) != len(found):
        raise refuted(CLAIM, "kernel-does-more", f"{name} stores twice to one buffer")
    return found


class _Store:
    """One store of a kernel, followed back to the load that it is a reduction of."""

    def __init__(self, facts: KernelFacts, store: Effect) -> None:
        self._facts = facts
        self._store = store
        self._kinds: set[Kind] = set()
        self._starts: list[float] = []
        self._axes: list[int] = []
        """Of the load, from the left, that are left where the walk has come to."""
        self._loops: list[Loop] = []
        self._casts: list[Value] = []
        self._combined: list[Value] = []
        """What the reductions and the loops come to."""
        self._filling: Value | None = None
        """What lanes hold that the mask turns off."""
        self._count = ""
        self._rank = 0
        """Of the load."""

    def read(self) -> SlotReduction:
        facts, store = self._facts, self._store
        assert store.stored is not None
        load = self._load_of(store.stored)
        if len(self._kinds) != 1:
            raise self._more("line {0} stores a value that is not a reduction of loaded elements")
        (combining,) = self._kinds
        buffer, output = self._base(load), self._base(store)
        dtype = self._dtype(load, buffer)
        if combining is Kind.ADD and any(self._starts):
            raise self._more("line {0} does not start its sum at 0")
        if len(set(self._starts)) > 1:
            raise self._more("line {0} starts with several numbers")
        if set(load.loops) != set(self._loops) or store.loops:
            raise self._more("line {0} is in a loop, or loads more than once")
        here, there = coordinates_of(facts, load), coordinates_of(facts, store)
        slots, kept = self._divided(load, here)
        start = self._starts[0] if self._starts and combining is not Kind.ADD else None
        strides = self._strides(kept, there)
        unnamed = self._unnamed & {buffer, output} if buffer in self._unnamed else frozenset()
        names = buffer, output, combining, dtype
        places = slots, kept, strides
        found = SlotReduction(load, store, *names, start, False, self._count, *places, unnamed)
        return self._with_masked_off(found) if any(s.bound is not None for s in slots) else found

    # The value

    def _load_of(self, value: Value) -> Effect:
        """The load that a value is a reduction of; notes what is met on the way to it."""
        match value.op:
            case Op.LOAD:
                self._rank = value.rank or 0
                self._axes = list(range(self._rank))
                self._filling = value.other
                return self._facts.interpretation.loads[value.number]
            case Op.CAST:
                found = self._load_of(value.operand)
                self._casts.append(value)
                return found
            case Op.REDUCE if value.reduction.name in NUMERIC_REDUCTIONS:
                return self._reduced(value, self._load_of(value.operand))
            case Op.RESULT:
                return self._looped(value)
            case Op.WHERE:
                return self._cleared(value)
            case Op.DIV if value is self._below_cast(self._store.stored):
                return self._divided_by(value, value.right)
            case op if op in _FREE:
                return self._load_of(value.operands[0])
        raise self._more("line {0} does more with loaded values than reduce them")

    def _below_cast(self, value: Value | None) -> Value | None:
        return value.operand if value is not None and value.op is Op.CAST else value

    def _cleared(self, value: Value) -> Effect:
        """A tile in which the lanes that the mask of the load turns off have another number."""
        found, forms = self._load_of(value.then), self._facts.forms
        masked = found.mask is not None and not found.mask.is_none
        same = masked and forms.condition(value.condition) == forms.condition(found.mask)  # type: ignore[arg-type]
        if not same or self._combined:
            raise self._more("line {0} does more with loaded values than reduce them")
        self._filling = value.other
        return found

    def _divided_by(self, value: Value, count: Value) -> Effect:
        """A sum that is divided by a number of the launch in the end, as a mean is."""
        found = self._load_of(value.left)
        if count.op not in (Op.PARAM, Op.CONSTEXPR) or self._kinds != {Kind.ADD}:
            raise self._more("line {0} does more with loaded values than reduce them")
        self._count = count.name
        return found

    def _reduced(self, value: Value, found: Effect) -> Effect:
        _, axes, keeps = value.reduction
        self._kinds.add(NUMERIC_REDUCTIONS[value.reduction.name])
        if keeps or value.operand.shape is None:
            raise self._more("line {0} keeps an axis along which it reduces")
        self._axes = [a for place, a in enumerate(self._axes) if place not in axes]
        self._combined.append(value)
        return found

    def _looped(self, value: Value) -> Effect:
        """A name to which each iteration of a loop brings something."""
        loop, name = self._facts.loops[value.carrier.loop], value.carrier.name
        own = loop.carried[name]
        update = plain_update(loop, name)
        counted = loop.is_counted and not self._facts.exits_early(loop)
        if update is None or update[0] not in NUMERIC or not counted:
            raise self._more("line {0} does more in its loop than reduce loaded values")
        kind, term = update
        start = loop.initial[name]
        while start.op in (Op.FULL, Op.CAST):
            start = start.operand
        number = start.constant
        if not isinstance(number, (int, float)) or math.isnan(number):
            raise self._more("line {0} does not start with a number")
        self._kinds.add(kind)
        self._starts.append(number)
        self._loops.append(loop)
        self._combined.append(own)
        found = self._load_of(term)
        if own.shape is None or own.shape != term.shape:
            raise self._more("line {0} combines tiles of different shapes")
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
            raise unknown("accumulators-are-wide", "type-is-unknown", f"{text} is unknown")
        if dtype not in TYPES:
            text = f"the partial results are {dtype}"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", text)
        combined = map(self._facts.types.of, self._combined)
        alike = all(
            t.all_in(frozenset({dtype})) or (unnamed and t.seen <= {dtype}) for t in combined
        )
        # A cast of the result goes to the output, those below it change nothing.
        stored = self._store.stored
        last = self._casts.pop() if stored is not None and stored.op is Op.CAST and alike else None
        if not alike or any(cast.dtype != dtype for cast in self._casts):
            raise self._more("line {0} computes in another type than that of the buffer")
        if last is not None and not self._is_to_the_output(last, dtype):
            raise self._more("line {0} rounds to another type than that of the output")
        if self._count and dtype not in FLOAT_BITS:
            raise self._more("line {0} does more with loaded values than reduce them")
        return dtype

    def _is_to_the_output(self, cast: Value, dtype: str) -> bool:
        """Whether the last cast is to the output's own type, which the store makes of it anyway."""
        if cast.dtype is not None:
            stored = self._facts.types.behind(self._store)
            return cast.dtype == dtype or stored.all_in(frozenset({cast.dtype}))
        match cast.target:
            case Value(op=Op.ATTRIBUTE, name="element_ty") as element:
                pointer = element.operand.operand if element.operand.op is Op.ATTRIBUTE else element
                of_type = element.operand.op is Op.ATTRIBUTE and element.operand.name == "dtype"
                bases = self._facts.bases(self._store)
                return of_type and pointer.op is Op.PARAM and bases == frozenset({pointer.name})
        return False

    def _with_masked_off(self, found: SlotReduction) -> SlotReduction:
        """What masked-off lanes hold changes nothing, or is what all of it is combined with.

        Raises Declined.
        """
        number = number_of(self._filling) if self._filling is not None else None
        start, combining = found.start, found.combining
        if number == combining.identity:
            return found
        least = number is not None and combining is Kind.MAX and found.dtype not in FLOAT_BITS
        if start is None and least and number == 0:
            return replace(found, start=0, is_least=True)
        sign = {Kind.MAX: 1, Kind.MIN: -1}.get(combining, 0)
        if number is not None and start is not None and sign * number <= sign * start and sign:
            return found
        raise found.may_count_masked_off

    # The places

    def _base(self, effect: Effect) -> str:
        bases = self._facts.bases(effect) or frozenset()
        if len(bases) != 1:
            text = f"which buffer line {effect.line} accesses is not known"
            raise unknown(CLAIM, "opaque-value", text)
        return next(iter(bases))

    def _divided(
        self, load: Effect, found: Sequence[Coordinate]
    ) -> tuple[tuple[Coordinate, ...], tuple[Coordinate, ...]]:
        """The coordinates that are reduced, and those that are kept."""
        left = {self._rank - 1 - axis for axis in self._axes}
        slots: list[Coordinate] = []
        kept: list[Coordinate] = []
        for coordinate in found:
            stays = {
                p.axis in left if isinstance(p, Lane) else isinstance(p, ProgramId)
                for p in coordinate.positions
            }
            if len(stays) > 1:
                text = f"each program reduces a part of the elements that line {load.line} loads"
                raise refuted(CLAIM, "partials-do-not-match", text)
            (kept if True in stays else slots).append(coordinate)
        loops = {p.loop for c in slots for p in c.positions if isinstance(p, Iteration)}
        if loops != {loop.identity for loop in load.loops}:
            text = f"line {load.line} loads the same elements in each iteration of a loop"
            raise refuted(CLAIM, "partials-do-not-match", text)
        return tuple(slots), tuple(kept)

    def _strides(
        self, kept: Sequence[Coordinate], there: Sequence[Coordinate]
    ) -> tuple[Polynomial, ...]:
        """What the kept coordinates are multiplied by where the result is stored."""
        count = len(self._axes)
        new = {self._rank - 1 - axis: count - 1 - n for n, axis in enumerate(self._axes)}

        def moved(atom: Atom) -> Atom | None:
            return Lane(atom.extent, new[atom.axis]) if isinstance(atom, Lane) else None

        found, left = [], list(there)
        for coordinate in kept:
            form = coordinate.form.map(moved)
            same = [c for c in left if c.form == form and c.bound == coordinate.bound]
            if len(same) != 1:
                break
            left.remove(same[0])
            found.append(same[0].stride)
        if left or len(found) != len(kept):
            raise self._more("line {0} stores to other elements than it loads for")
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
