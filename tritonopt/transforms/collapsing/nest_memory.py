"""That the elements of a nest share no memory, and that threads hand nothing over.

One loop over all elements has those of several turns in one tile, and another thread holds an
element then than did before. So what the nest stores is touched nowhere else in the kernel, and
two elements store to one place only where they store the same value.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Iteration, Lane
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import Op
from tritonopt.transforms.collapsing.index_nests import Nest
from tritonopt.transforms.disjoint_accesses import DisjointAccesses
from tritonopt.transforms.thread_exchange import CLAIM as THREADS
from tritonopt.transforms.thread_exchange import ThreadExchange

_APART = "iterations-are-independent"


def prove_memory(nest: Nest, attempt: Attempt, *, meets: bool) -> None:
    """Raises Declined where the order of the elements, or of threads, may be seen.

    `meets` says that all threads meet in each turn, to reduce a tile.
    """
    accesses = DisjointAccesses(nest.facts)
    said = _Memory(nest, accesses).check_nest()
    ThreadExchange(nest.facts, nest.loops[0], nest.effects, accesses, meets).check()
    attempt.prove(_APART, said, accesses.given)
    accesses.prove(attempt, THREADS, "nothing else touches what is stored")


def check_effects(nest: Nest) -> None:
    """Raises Declined where the nest does more than to load and to store."""
    for effect in nest.effects:
        plain = effect.kind in (EffectKind.LOAD, EffectKind.STORE) and not effect.volatile
        if not plain or effect.inlined:
            text = f"{effect.name} in line {effect.line} orders the elements"
            raise refuted("data-is-unchanged", "order-is-seen", text)


@dataclass(frozen=True)
class _Memory:
    nest: Nest
    accesses: DisjointAccesses

    @property
    def facts(self) -> KernelFacts:
        return self.nest.facts

    def check_nest(self) -> str:
        """What shows that stores do not overlap."""
        stores = [e for e in self.nest.effects if e.kind is EffectKind.STORE]
        for store in stores:
            assert store.pointer is not None
            if not self.nest.varies(store.pointer):
                text = f"line {store.line} stores to one element in every iteration"
                raise refuted(_APART, "dependence-between-iterations", text)
        for one, other in combinations(stores, 2):
            if not self.accesses.are_disjoint(one, other):
                text = f"lines {one.line} and {other.line} may store to one element"
                raise unknown("iterations-are-independent", "dependence-between-iterations", text)
        said = ["each element stores to a place of its own"] if stores else ["nothing is stored"]
        for store in stores:
            said.append(self._check_store(store))
        return "; ".join(dict.fromkeys(said))

    def _check_store(self, store: Effect) -> str:
        assert store.pointer is not None
        loads = [e for e in self.nest.effects if e.kind is EffectKind.LOAD]
        near = [load for load in loads if not self.accesses.are_disjoint(store, load)]
        for load in near:
            assert load.pointer is not None
            mine, theirs = self._offset(store), self._offset(load)
            if mine is None or theirs is None or not (mine - theirs).is_zero:
                text = f"line {load.line} may load what line {store.line} stores for another "
                text += "element"
                raise unknown("iterations-are-independent", "dependence-between-iterations", text)
        reach = self._reach(store)
        self._check_turns(store, reach)
        if reach is not None:
            return f"line {store.line} goes through its elements one by one"
        if not near and self._stores_by_place(store):
            return f"what line {store.line} stores to an element depends on that element alone"
        text = f"it is not shown that line {store.line} stores to another element each time"
        raise unknown(_APART, "dependence-between-iterations", text)

    def _offset(self, effect: Effect) -> Polynomial | None:
        assert effect.pointer is not None
        base, offset = self.facts.forms.address(effect.pointer)
        return offset if base is not None else None

    def _check_turns(self, store: Effect, reach: Polynomial | None) -> None:
        """A loop around the nest must not come to an element by another thread."""
        offset = self._offset(store)
        for loop in reversed(self.nest.loops[0].nest[:-1]):
            count = self.facts.forms.trip_count(loop)
            step = self._factor(offset, Iteration(loop.identity)) if offset is not None else None
            turns = None
            if reach is not None and step is not None:
                turns = step.divided_by(reach)
            forms = self.facts.forms
            apart = turns is not None and forms.is_integer(turns) and forms.is_positive(turns)
            if not apart or count is None:
                text = f"the loop in line {loop.line} may come to what line {store.line} stored in "
                text += "another lane"
                raise unknown(_APART, "dependence-between-iterations", text)
            assert step is not None
            reach = step * count

    def _reach(self, store: Effect) -> Polynomial | None:
        """The stretch that the elements of the nest have in memory, side by side; None where each
        index is not shown to move the store past all that the indices within it come to."""
        offset = self._offset(store)
        if offset is None:
            return None
        lane = self._factor(offset, Lane(self.nest.tile, 0))
        trip = self._factor(offset, Iteration(self.nest.sweep.identity))
        if lane is None or trip is None or not (trip - self.nest.tile * lane).is_zero:
            return None
        number = lane.constant_value
        if number is None or number <= 0:
            return None
        reach = lane * self.nest.extent
        for loop in reversed(self.nest.outer):
            step = self._factor(offset, Iteration(loop.identity))
            count = self.facts.forms.trip_count(loop)
            if step is None or count is None or not (step - reach).is_zero:
                return None
            reach = step * count
        return reach

    def _factor(self, offset: Polynomial, atom: Atom) -> Polynomial | None:
        """What an index is multiplied by; None where it goes in otherwise."""
        zero = offset - offset
        found = zero
        for monomial, number in offset.terms.items():
            powers = dict(monomial)
            power = powers.pop(atom, 0)
            if any(atom in set(Polynomial.of(other).leaves()) for other in powers):
                return None
            if power not in (0, 1):
                return None
            if power:
                rest = tuple((a, p) for a, p in monomial if a != atom)
                if any(self._moves(a) for a, _ in rest):
                    return None
                found += Polynomial({rest: number})
        return found

    def _moves(self, atom: Atom) -> bool:
        own = {Iteration(identity) for identity in self.nest.identities}
        leaves = set(Polynomial.of(atom).leaves())
        return not own.isdisjoint(leaves) or any(isinstance(leaf, Lane) for leaf in leaves)

    def _stores_by_place(self, store: Effect) -> bool:
        """Whether the value depends on the element only by what is loaded at the same offset."""
        assert store.stored is not None
        wanted = self._offset(store)
        if wanted is None:
            return False
        todo, seen = [store.stored], set()
        while todo:
            part = todo.pop()
            if part.serial in seen or not self.nest.varies(part):
                continue
            seen.add(part.serial)
            if part.op is Op.LOAD and self._is_at(part, wanted, store.mask):
                continue
            if part.op in (Op.LANE, Op.ITERATION, Op.CARRIED, Op.OPAQUE, Op.RESULT):
                return False
            todo += part.operands
        return True

    def _is_at(self, load: Value, wanted: Polynomial, mask: Value | None) -> bool:
        """Whether a load has the offset of the store, and is on wherever the store is."""
        forms = self.facts.forms
        base, offset = forms.address(load.pointer)
        if base is None or not (offset - wanted).is_zero or mask is None:
            return False
        on = forms.condition(load.mask)
        return on == forms.condition(mask) or on == Polynomial.of(self.nest.indicator)
