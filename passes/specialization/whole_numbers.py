"""Which accesses of a kernel move whole numbers: indices, lengths and flags."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property

from tritonopt.facts.algebra.atoms import Lane
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.dtypes import FLOATS, INTEGERS
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import Value

_WHOLE = frozenset({Op.FLOORDIV, Op.MOD, Op.CDIV})
"""What floats are not put through."""


class WholeNumbers:
    """Answers for one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts

    def has(self, effect: Effect) -> bool:
        """Whether an access is seen to move whole numbers."""
        facts = self._facts
        if facts.types.behind(effect).all_in(INTEGERS):
            return True
        if effect.kind is EffectKind.STORE and effect.stored is not None:
            return self._is_whole(effect.stored)
        if effect.kind is not EffectKind.LOAD:
            return False
        other = effect.other.constant if effect.other is not None else None
        return effect.order in self._indices or (type(other) is int and other != 0)

    def _is_whole(self, stored: Value) -> bool:
        """Whether a value that is stored is made of indices, or is one: a lane's, say."""
        if self._facts.types.of(stored).all_in(INTEGERS):
            return True
        loads = set(_loads_in(stored))
        if loads and loads <= self._indices:
            return True
        with suppress(TooLarge):
            return any(isinstance(atom, Lane) for atom in self._facts.forms.of(stored).atoms)
        return False

    @cached_property
    def alone(self) -> bool:
        """Whether whole numbers are moved, or compared, and nothing is computed in floats."""
        facts = self._facts
        computed = facts.interpretation.computed
        moved = (e for e in facts.effects if e.kind in (EffectKind.LOAD, EffectKind.STORE))
        is_seen = any(map(self.has, moved)) or any(map(_is_counted, computed))
        return is_seen and not any(
            facts.types.of(value).some_in(FLOATS | {"float"}) or value.op is Op.DIV
            for value in computed
        )

    @cached_property
    def _indices(self) -> frozenset[int]:
        """The loads of what goes into an address or the end of a loop, or is divided as indices."""
        loads = (_loads_in(value) for value in self._places())
        return frozenset(number for found in loads for number in found) - self._cast_to_floats

    @cached_property
    def _cast_to_floats(self) -> frozenset[int]:
        """Loads whose type decides whether they are computed in floats."""
        types, computed = self._facts.types, self._facts.interpretation.computed
        casts = (v for v in computed if v.op is Op.CAST and types.of(v).some_in(FLOATS))
        return frozenset(number for cast in casts for number in _loads_in(cast.operands[0]))

    def _places(self) -> Iterator[Value]:
        facts = self._facts
        for effect in facts.effects:
            # What decides whether something is done is a flag or a length.
            yield from (part for part in (effect.pointer, effect.mask) if part is not None)
        for loop in facts.loops:
            yield from loop.bounds
        for value in facts.interpretation.computed:
            to = facts.types.of(value) if value.op is Op.CAST else None
            if value.op in _WHOLE or (to is not None and to.all_in(INTEGERS)):
                yield value
            if value.op in COMPARISONS and any(map(self._is_place, value.operands)):
                yield value

    def _is_place(self, value: Value) -> bool:
        """Whether it is the number of a lane or a program, which no data are compared with."""
        parts = set(value.walk())
        return any(p.op in (Op.LANE, Op.PROGRAM_ID) for p in parts) and not any(
            p.op is Op.LOAD for p in parts
        )


def _is_counted(value: Value) -> bool:
    """Whether something loaded is compared with an integer: `count > 0`."""
    if value.op not in COMPARISONS:
        return False
    numbers = [type(part.constant) is int for part in value.operands]
    return any(numbers) and any(True for part in value.operands for _ in _loads_in(part))


def _loads_in(value: Value) -> Iterator[int]:
    """The loads that a value is computed from; where those stand is another matter."""
    return (part.number for part in value.walk(Op.LOAD) if part.op is Op.LOAD)
