"""That the iterations of a loop share no memory, and the threads of the program hand none over.

Single elements are stored by one thread, those of a tile by the threads that hold them. So what
the loop stores must not be read or written again elsewhere in the kernel, where another thread
may do it, unless a barrier stands between.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.dtypes import BOOLEANS, INTEGERS
from tritonopt.facts.effects import Effect
from tritonopt.facts.memory.dependence import (
    INDEPENDENT,
    Accesses,
    Kind,
    check_exchange,
    check_plain,
)
from tritonopt.passes.scalar_loop.scalar_loops import ScalarLoop

_COMMUTING = frozenset({"atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or"}) | {
    "atomic_xor"
}


def prove_memory_order(loop: ScalarLoop, attempt: Attempt, *, meets: bool) -> bool:
    """Whether results are the same bits: of atomic sums of floats only the order may differ.

    `meets` says that all threads meet behind the loop, to reduce a tile. Raises Declined where
    iterations, or threads, may touch one element.
    """
    order = _Order(loop)
    exact = order.check_loop()
    check_exchange(loop.facts, loop.loop, loop.effects, order.accesses, meets=meets)
    otherwise = "each iteration stores to elements of its own, if any"
    order.accesses.prove(attempt, INDEPENDENT, otherwise)
    if order.by_launch:
        attempt.assume_no_other_launches()
    attempt.prove(INDEPENDENT, "nothing else in the kernel touches what is stored")
    return exact


class _Order:
    def __init__(self, loop: ScalarLoop) -> None:
        self.loop = loop
        self.facts: KernelFacts = loop.facts
        self.accesses = Accesses(self.facts)
        self.by_launch = False

    def check_loop(self) -> bool:
        effects = self.loop.effects
        kinds = (EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC)
        check_plain(effects, kinds, "the iterations")
        written = [e for e in effects if e.kind is EffectKind.STORE]
        alike: list[Effect] = []
        stores: list[Effect] = []
        for store in written:
            own = self.accesses.of(store, store, self.loop.loop)
            if own.kind is not Kind.OPEN:
                stores.append(store)
            elif self._is_alike(store):
                alike.append(store)
            else:
                raise unknown(INDEPENDENT, "dependence-between-iterations", own.why[0])
        atomics = [e for e in effects if e.kind is EffectKind.ATOMIC]
        loads = [e for e in effects if e.kind is EffectKind.LOAD]
        for store in alike:
            self._check_alike(store, effects)
        for one, other in combinations(stores, 2):
            self._check_pair(one, other, "store")
        for store, load in product(stores, loads):
            self._check_pair(store, load, "load")
        exact = True
        for atomic in atomics:
            exact &= self._check_atomic(atomic, [*loads, *written])
        for one_atomic, another in combinations(atomics, 2):
            if one_atomic.name != another.name and not self.accesses.are_disjoint(
                one_atomic, another
            ):
                text = f"the atomics in lines {one_atomic.line} and {another.line} may meet"
                raise unknown(INDEPENDENT, "dependence-between-iterations", text)
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
            if not self.accesses.are_disjoint(store, other):
                raise self._shared(store, other, other.name)

    def _check_pair(self, store: Effect, other: Effect, what: str) -> None:
        """Another access may touch the element that an iteration stores in that iteration only."""
        found = self.accesses.of(store, other, self.loop.loop)
        stored = other.kind is EffectKind.STORE
        ordered = stored or other.order < store.order
        in_order = ordered and (not stored or self.facts.bases(store) == self.facts.bases(other))
        if found.kind is Kind.OPEN or (found.kind is Kind.OWN and not in_order):
            raise self._shared(store, other, what)

    def _shared(self, store: Effect, other: Effect, what: str) -> Declined:
        text = (
            f"the {what} in line {other.line} may touch what another iteration stores in line "
            f"{store.line}"
        )
        bases = (self.facts.bases(store) or frozenset()) | (self.facts.bases(other) or frozenset())
        if len(bases) == 2:
            text += f"; if it never does, give --assume 'disjoint({', '.join(sorted(bases))})'"
        return unknown(INDEPENDENT, "dependence-between-iterations", text)

    # Atomics

    def _check_atomic(self, atomic: Effect, others: list[Effect]) -> bool:
        """Whether the order of what is done to one element does not matter to any bit."""
        if atomic.name not in _COMMUTING:
            text = f"{atomic.name} in line {atomic.line} depends on the order of the iterations"
            raise refuted(INDEPENDENT, "order-is-seen", text)
        for other in others:
            if other.kind is not EffectKind.LOAD or not self.accesses.are_disjoint(atomic, other):
                text = f"the atomic in line {atomic.line} may order what line {other.line} does"
                raise unknown("data-is-unchanged", "order-is-seen", text)
        types = self.facts.types.behind(atomic)
        exact = types.all_in(INTEGERS | BOOLEANS)
        self.by_launch |= exact and types.by_launch
        return atomic.name != "atomic_add" or exact
