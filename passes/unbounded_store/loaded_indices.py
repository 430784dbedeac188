"""Indices that are loaded and may be -1, as a comparison of the kernel shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from tritonopt.facts import Effect, EffectKind, KernelFacts
from tritonopt.facts.algebra.atoms import Iteration, Lane, Loaded, ProgramId
from tritonopt.facts.algebra.divisibility import replaced
from tritonopt.facts.algebra.polynomial import ONE, ZERO, Atom, Polynomial, TooLarge, put_in
from tritonopt.facts.memory.buffers import CannotTell, conditions_of
from tritonopt.facts.memory.circumstances import factors
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.operations import COMPARISONS, Op


def find_below_zero(facts: KernelFacts) -> Iterator[tuple[Effect, str]]:
    """Accesses with a loaded index that the kernel takes to be -1 at times, and that let it by."""
    loads = [e for e in facts.effects if e.kind is EffectKind.LOAD and e.pointer is not None]
    for load in loads:
        fills = None if load.other is None or load.other.is_none else load.other
        if load.loaded is None or (fills is not None and fills.constant != 0):
            continue  # lanes that are masked off may have -1, and no others
        with suppress(TooLarge, CannotTell):
            index = _Index.of(facts, load)
            for effect in facts.effects if index is not None else ():
                if index is not None and index.passes(effect):
                    yield (
                        effect,
                        f"line {index.asked} tests whether the index that line {load.line} "
                        "loads is "
                        f"below 0, and this {effect.name} does not: where it is -1, it is of an "
                        "element before that row",
                    )


@dataclass(frozen=True)
class _Index:
    """An integer that is loaded, and that a comparison of the kernel tells from -1."""

    facts: KernelFacts
    load: Effect
    atom: Loaded
    on: Mapping[Atom, Polynomial]
    """The comparisons of its mask, which hold where it is loaded."""
    asked: int
    """The line of the comparison."""

    @classmethod
    def of(cls, facts: KernelFacts, load: Effect) -> _Index | None:
        assert load.pointer is not None and load.loaded is not None
        base, offset = facts.forms.address(load.pointer)
        leaves = facts.forms.of(load.loaded).leaves()
        own = [a for a in leaves if isinstance(a, Loaded) and (a.base, a.offset) == (base, offset)]
        masked = load.mask is not None and not load.mask.is_none
        mask = facts.forms.condition(load.mask) if masked and load.mask is not None else ONE
        on = dict.fromkeys((part.sole_atom for part in factors(mask)), ONE)
        if len(own) != 1 or (masked and not on) or None in on:
            return None
        known: dict[Atom, Polynomial] = {atom: ONE for atom in on if atom is not None}
        index = cls(facts, load, own[0], known, 0)
        for node, value in facts.values.items():
            if value.op in COMPARISONS and load.loaded in value.walk(but=Op.LOAD):
                test = facts.forms.condition(value)
                below, *others = (index._at(test, n).constant_value for n in (-1, 0, 1))
                if below is not None and others == [1 - below] * 2:
                    return replace(index, asked=facts.kernel.module.lines.place(node)[0])
        return None

    def _at(self, form: Polynomial, number: int) -> Polynomial:
        """A form where the index is a number."""
        put = replaced(form, {self.atom: Polynomial.constant(number)})
        put = replaced(put, self.on)
        known = {a: number_of(Polynomial.of(a), {}) for a in put.atoms if a.arguments}
        return put_in(put, {a: n for a, n in known.items() if n is not None})

    def passes(self, effect: Effect) -> bool:
        """Whether an access lets -1 by, and goes to an element before its row or buffer then."""
        if effect.pointer is None or effect is self.load:
            return False
        offset = self.facts.forms.address(effect.pointer)[1]
        if not any(self.atom in {leaf for a, _ in m for leaf in a.leaves()} for m in offset.terms):
            return False
        for condition, holds in conditions_of(self.facts, effect):
            let, also = self._at(condition, -1), self._at(condition, 0)
            if let != also or let.constant_value == int(not holds):
                return False  # whoever wrote it has thought of -1
        places = (a for a in offset.leaves() if isinstance(a, Lane | ProgramId | Iteration))
        first: dict[Atom, Polynomial] = dict.fromkeys(places, ZERO)
        moved = replaced(self._at(offset, -1) - self._at(offset, 0), first)
        start = replaced(self._at(offset, -1), first)
        return not (moved.is_zero or start.is_zero) and all(c < 0 for c in start.terms.values())
