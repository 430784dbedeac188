"""That the elements of a nest share no memory, and that threads hand nothing over.

One loop over all elements has those of several turns in one tile, and another thread holds an
element then than did before. So what the nest stores is touched nowhere else in the kernel, and
two elements store to one place only where they store the same value.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Lane, Param
from tritonopt.facts.algebra.divisibility import replaced
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.effects import Effect
from tritonopt.facts.memory.dependence import (
    INDEPENDENT,
    Accesses,
    Index,
    Kind,
    are_apart,
    check_exchange,
    same_place,
)
from tritonopt.facts.operations import Op
from tritonopt.passes.collapse_loops.index_nests import Nest

_PLACE = Param("(place in the row)")
"""What no parameter is called."""


def prove_memory(nest: Nest, attempt: Attempt, *, meets: bool) -> None:
    """Raises Declined where the order of the elements, or of threads, may be seen.

    `meets` says that all threads meet in each turn, to reduce a tile.
    """
    accesses = Accesses(nest.facts)
    said = _Memory(nest, accesses).check_nest()
    check_exchange(nest.facts, nest.loops[0], nest.effects, accesses, meets=meets)
    attempt.prove(INDEPENDENT, said, accesses.used.given)
    accesses.prove(attempt, INDEPENDENT, "nothing else touches what is stored")


@dataclass(frozen=True)
class _Memory:
    nest: Nest
    accesses: Accesses

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
                raise refuted(INDEPENDENT, "dependence-between-iterations", text)
        for one, other in combinations(stores, 2):
            if not self.accesses.are_disjoint(one, other):
                raise self._open(f"lines {one.line} and {other.line} may store to one element")
        said = ["each element stores to a place of its own"] if stores else ["nothing is stored"]
        for store in stores:
            said.append(self._check_store(store))
        return "; ".join(dict.fromkeys(said))

    def _open(self, text: str) -> Declined:
        return unknown(INDEPENDENT, "dependence-between-iterations", text)

    def _check_store(self, store: Effect) -> str:
        assert store.pointer is not None
        loads = [e for e in self.nest.effects if e.kind is EffectKind.LOAD]
        near = [load for load in loads if not self.accesses.are_disjoint(store, load)]
        for load in near:
            same = same_place(self.facts, store, load)
            self.accesses.used &= same
            if same.kind is Kind.OPEN:
                text = f"line {load.line} may load what line {store.line} stores for another "
                raise self._open(text + "element")
        around = [
            Index.of(self.facts, loop)
            for loop in self.nest.loops[0].nest[-2::-1]
            if any(varies_with(atom, loop) for atom in self.facts.forms.of(store.pointer).atoms)
        ]
        own = self._are_apart(store, [])
        if around and not (own and self._are_apart(store, around)):
            line = self.nest.loops[0].nest[-2].line
            text = f"the loop in line {line} may come to what line {store.line} stored in "
            raise self._open(text + "another lane")
        if own:
            return f"line {store.line} goes through its elements one by one"
        if not near and self._stores_by_place(store):
            return f"what line {store.line} stores to an element depends on that element alone"
        text = f"it is not shown that line {store.line} stores to another element each time"
        raise self._open(text)

    def _are_apart(self, store: Effect, around: list[Index]) -> bool:
        """Whether each element of the nest, in each turn around it, is stored to its own place."""
        assert store.pointer is not None
        facts, nest = self.facts, self.nest
        base, offset = facts.forms.address(store.pointer)
        sweep = Index.of(facts, nest.sweep)
        in_row = Polynomial.of(_PLACE) - nest.tile * Polynomial.of(sweep.atom)
        offset = replaced(offset, {Lane(nest.tile, 0): in_row})
        row = Index(_PLACE, nest.extent, lambda atom: _PLACE in atom.leaves())
        step = offset.coefficient(_PLACE)
        number = None if step is None else step.constant_value
        outer = [Index.of(facts, loop) for loop in reversed(nest.outer)]
        indices = [row, *outer, *around]
        open_ = any(isinstance(leaf, Lane) or sweep.varies(leaf) for leaf in offset.leaves())
        ours = base is not None and number is not None and number > 0 and not open_
        return ours and are_apart(facts, offset, indices)

    def _stores_by_place(self, store: Effect) -> bool:
        """Whether the value depends on the element only by what is loaded at the same offset."""
        assert store.stored is not None
        assert store.pointer is not None
        _, wanted = self.facts.forms.address(store.pointer)
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
