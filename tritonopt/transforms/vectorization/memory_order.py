"""That the iterations of a loop share no memory, and the threads of the program hand none over.

Single elements are stored by one thread, those of a tile by the threads that hold them. So what
the loop stores must not be read or written again elsewhere in the kernel, where another thread
may do it, unless a barrier stands between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Loop, Polynomial
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.dtypes import BOOLEANS, INTEGERS
from tritonopt.facts.effects import Effect
from tritonopt.transforms.disjoint_accesses import DisjointAccesses
from tritonopt.transforms.thread_exchange import CLAIM as THREADS
from tritonopt.transforms.thread_exchange import ThreadExchange
from tritonopt.transforms.vectorization.scalar_loops import ScalarLoop

_APART = "iterations-are-independent"
_COMMUTING = frozenset({"atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or"}) | {
    "atomic_xor"
}


def prove_memory_order(loop: ScalarLoop, attempt: Attempt, *, meets: bool) -> bool:
    """Whether results are the same bits: of atomic sums of floats only the order may differ.

    `meets` says that all threads meet behind the loop, to reduce a tile. Raises Declined where
    iterations, or threads, may touch one element.
    """
    order = _Order(loop, attempt)
    exact = order.check_loop()
    order.conclude(meets)
    return exact


@dataclass(frozen=True)
class _Place:
    """Where an access of the loop is: `base + stride * trip + rest`."""

    effect: Effect
    base: str
    offset: Polynomial
    stride: Polynomial
    rest: Polynomial


class _Order:
    def __init__(self, loop: ScalarLoop, attempt: Attempt) -> None:
        self.loop = loop
        self.facts: KernelFacts = loop.facts
        self._attempt = attempt
        self._accesses = DisjointAccesses(self.facts)
        self._assumed: dict[tuple[str, str], None] = {}
        self._by_launch = False

    def conclude(self, meets: bool) -> None:
        """Looks at the rest of the kernel; takes down what was shown, and what that rests on."""
        loop = self.loop.loop
        ThreadExchange(self.facts, loop, self.loop.effects, self._accesses, meets).check()
        otherwise = "each iteration stores to elements of its own, if any"
        self._accesses.prove(self._attempt, _APART, otherwise)
        for claim, detail in self._assumed:
            self._attempt.assume(claim, detail)
        if self._by_launch:
            self._attempt.assume_no_other_launches()
        self._attempt.prove(THREADS, "nothing else in the kernel touches what is stored")

    def check_loop(self) -> bool:
        effects = self.loop.effects
        for effect in effects:
            if effect.inlined or effect.kind not in (
                *(EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC),
            ):
                text = f"{effect.name} in line {effect.line} orders the iterations"
                raise refuted("data-is-unchanged", "order-is-seen", text)
        written = [e for e in effects if e.kind is EffectKind.STORE]
        alike: list[Effect] = []
        stores: list[_Place] = []
        for store in written:
            try:
                stores.append(self._place(store))
            except Declined:
                if not self._is_alike(store):
                    raise
                alike.append(store)
        atomics = [e for e in effects if e.kind is EffectKind.ATOMIC]
        loads = [e for e in effects if e.kind is EffectKind.LOAD]
        for store in alike:
            self._check_alike(store, effects)
        for one, other in combinations(stores, 2):
            self._check_pair(one, other.effect, "store")
        for place in stores:
            for load in loads:
                self._check_pair(place, load, "load")
        exact = True
        for atomic in atomics:
            exact &= self._check_atomic(atomic, [*loads, *written])
        for one_atomic, another in combinations(atomics, 2):
            if one_atomic.name != another.name and not self._accesses.are_disjoint(
                one_atomic, another
            ):
                text = f"the atomics in lines {one_atomic.line} and {another.line} may meet"
                raise unknown(_APART, "dependence-between-iterations", text)
        return exact

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
            if not self._accesses.are_disjoint(store, other):
                raise self._shared(store, other, other.name)

    def _place(self, effect: Effect) -> _Place:
        """Where a store goes. Raises Declined where that is not another element each time."""
        assert effect.pointer is not None
        base, offset = self.facts.forms.address(effect.pointer)
        parts = self.loop.in_trips(offset)
        if base is None or parts is None:
            text = f"it is not shown that line {effect.line} stores to another element each time"
            raise unknown(_APART, "dependence-between-iterations", text)
        place = _Place(effect, base, offset, *parts)
        self._check_stride(place)
        self._check_outer_loops(place)
        return place

    def _check_stride(self, place: _Place) -> None:
        stride, bounds = place.stride, Bounds(self.facts)
        number = stride.constant_value
        if number is not None and number != 0:
            return
        for sign in (stride, -stride):
            bound = bounds.lower_bound(sign)
            if bound is not None and bound.number >= 1:
                if bound.sizes:
                    names = ", ".join(sorted(bound.sizes))
                    self._assumed["sizes-are-positive", f"{names} is at least 1"] = None
                return
        if any(self._is_as_large(stride, around) for around in self.loop.loop.nest):
            return
        worlds = self.facts.launches.bindings
        numbers = [substitute(stride, world).constant_value for world in worlds]
        if worlds and all(numbers) and not self.facts.launches.unknown:
            self._by_launch = True
            return
        text = (
            f"line {place.effect.line} stores to the same element again and again if "
            f"{stride.readable} is 0"
        )
        raise unknown(_APART, "dependence-between-iterations", text)

    def _is_as_large(self, stride: Polynomial, around: Loop) -> bool:
        """Whether it is at least the number of turns of a loop that runs, or there is no store."""
        count = self.facts.forms.trip_count(around)
        if count is None:
            return False
        room = (stride - count).constant_value
        return room is not None and room >= 0

    def _check_outer_loops(self, place: _Place) -> None:
        """A later turn of a loop around must not write the element by another lane."""
        around = self.loop.loop.nest[:-1]
        moving = [o for o in around if any(varies_with(atom, o) for atom in place.rest.atoms)]
        moving += [o for o in around if any(varies_with(a, o) for a in place.stride.atoms)]
        if not moving:
            return
        if len(set(moving)) == 1 and self._are_apart(place, moving[0]):
            return
        where = f"the loop in line {moving[0].line}"
        text = f"{where} may come to what line {place.effect.line} stored in another lane"
        raise unknown(_APART, "dependence-between-iterations", text)

    def _are_apart(self, place: _Place, around: Loop) -> bool:
        """Whether the elements of one turn of an outer loop end before those of the next."""
        trip = Iteration(around.identity)
        count = self.facts.forms.trip_count(self.loop.loop)
        parts = ScalarLoop(self.facts, around).in_trips(place.rest)
        if parts is None or count is None or any(varies_with(a, around) for a in count.atoms):
            return False
        if trip in set(place.stride.leaves()):
            return False
        room = parts[0] - place.stride * count
        return (
            room.is_zero
            or (
                self.facts.forms.is_nonnegative(room)
                and self.facts.forms.is_nonnegative(place.stride)
            )
            or self._goes_across(place, parts[0], around)
        )

    def _goes_across(self, place: _Place, step: Polynomial, around: Loop) -> bool:
        """`(i * N + j)` with i in the inner loop and j < N in the outer one."""
        turns = self.facts.forms.trip_count(around)
        return turns is not None and (place.stride - step * turns).is_zero

    def _check_pair(self, store: _Place, other: Effect, what: str) -> None:
        """Another access may touch the element that an iteration stores in that iteration only."""
        if self._accesses.are_disjoint(store.effect, other):
            return
        assert other.pointer is not None
        base, offset = self.facts.forms.address(other.pointer)
        same = base is not None and (offset - store.offset).is_zero
        if same and (other.order < store.effect.order or other.kind is EffectKind.STORE):
            if base is not None and base != store.base:
                shifted = self.facts.launches.overlap(base, store.base)
                if other.kind is EffectKind.STORE or shifted:
                    raise self._shared(store.effect, other, what)
                text = f"{base} and {store.base} are one buffer, or do not overlap"
                self._assumed[_APART, text] = None
            return
        stride = store.stride.constant_value
        gap = (offset - store.offset).constant_value if base == store.base else None
        if stride is not None and gap is not None and gap % stride != 0:
            return
        raise self._shared(store.effect, other, what)

    def _shared(self, store: Effect, other: Effect, what: str) -> Declined:
        text = (
            f"the {what} in line {other.line} may touch what another iteration stores in line "
            f"{store.line}"
        )
        bases = (self.facts.bases(store) or frozenset()) | (self.facts.bases(other) or frozenset())
        if len(bases) == 2:
            text += f"; if it never does, give --assume 'disjoint({', '.join(sorted(bases))})'"
        return unknown("iterations-are-independent", "dependence-between-iterations", text)

    # Atomics

    def _check_atomic(self, atomic: Effect, others: list[Effect]) -> bool:
        """Whether the order of what is done to one element does not matter to any bit."""
        if atomic.name not in _COMMUTING:
            text = f"{atomic.name} in line {atomic.line} depends on the order of the iterations"
            raise refuted(_APART, "order-is-seen", text)
        for other in others:
            if other.kind is not EffectKind.LOAD or not self._accesses.are_disjoint(atomic, other):
                text = f"the atomic in line {atomic.line} may order what line {other.line} does"
                raise unknown("data-is-unchanged", "order-is-seen", text)
        types = self.facts.types.behind(atomic)
        exact = types.all_in(INTEGERS | BOOLEANS)
        self._by_launch |= exact and types.by_launch
        return atomic.name != "atomic_add" or exact
