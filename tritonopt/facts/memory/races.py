"""What a program reads and another program of the same launch writes, in numbers.

Nothing orders the programs of a launch, so what such a load gives is chance. Buffers are as large
as `buffers` takes them to be, and nothing is said where anything else decides. A kernel with
atomics, barriers, or calls that are not understood may have an order of its own.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import Lane, ProgramId
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.host.callers import passes_any_size
from tritonopt.facts.host.launcher_code import forms_at
from tritonopt.facts.host.slices import rows_from
from tritonopt.facts.memory.buffers import (
    MAX_RANK,
    CannotTell,
    Trial,
    checks_are_understood,
    reached,
)
from tritonopt.facts.memory.lost_updates import find_lost_update
from tritonopt.facts.operations import Op

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_LENGTHS = (5, 3, 64, 100, 8, 1000, 5000)
MAX_TRIALS = 14
MAX_PLACES = 6000
_ORDERED = (EffectKind.ATOMIC, EffectKind.BARRIER, EffectKind.CALL)

Places = Mapping[int, list[dict[Atom, int]]]
"""By element, the programs, iterations and lanes that come to it."""


@dataclass(frozen=True)
class Race:
    """A load of what another program writes."""

    load: Effect
    store: Effect
    numbers: str
    """Sizes, the two programs and the element, in words."""
    mend: str = "write to another tensor, or launch twice"


def find_races(facts: KernelFacts) -> Iterator[Race]:
    """Loads of what another program of one launch writes, each with an example."""
    if facts.launches.unknown or not _is_unordered(facts):
        return
    loads = [e for e in facts.effects if _is_plain(e, EffectKind.LOAD)]
    stores = [e for e in facts.effects if _is_plain(e, EffectKind.STORE)]
    for load in loads:
        for store in stores:
            found = _find_lost_update(facts, load, store) or _find(facts, load, store)
            if found is not None:
                yield found
                break


def shifted(facts: KernelFacts, axis: int) -> tuple[Effect, Effect] | None:
    """A load and a store of one buffer, as far apart as tiles along the axis are.

    Seen without any sizes: the offsets differ by a number of whole tiles, or by some elements
    where tiles stand side by side.
    """
    program = ProgramId(Polynomial.constant(axis))
    for load in (e for e in facts.effects if e.kind is EffectKind.LOAD):
        for store in (e for e in facts.effects if e.kind is EffectKind.STORE):
            if load.pointer is None or store.pointer is None:
                continue
            (one, read), (other, written) = map(facts.forms.address, (load.pointer, store.pointer))
            if one is None or other is None or not _are_one(facts, one, other):
                continue
            apart = read - written
            step = coefficient(written, program)
            if apart.is_zero or step is None or step != coefficient(read, program):
                continue
            tiles = apart.divided_by(step)
            number = tiles.constant_value if tiles is not None else None
            if number is not None and number.denominator == 1:
                return load, store
            lanes = [a for a in written.atoms if isinstance(a, Lane) and a.extent == step]
            if apart.constant_value is not None and lanes:
                return load, store
    return None


def _are_one(facts: KernelFacts, one: str, other: str) -> bool:
    """Whether two parameters are one, or some launch passes the same tensor for both."""
    return one == other or facts.launches.passes_one_for_both(one, other)


def coefficient(form: Polynomial, atom: Atom) -> Polynomial | None:
    """What an atom is multiplied with; None where it occurs otherwise, or not at all."""
    terms = {}
    for monomial, number in form.terms.items():
        powers = dict(monomial)
        if atom in powers:
            if powers.pop(atom) != 1:
                return None
            terms[tuple(powers.items())] = number
    found = Polynomial(terms)
    rest = form - found * Polynomial.of(atom)
    return None if not terms or atom in rest.leaves() else found


def _is_unordered(facts: KernelFacts) -> bool:
    return not any(e.kind in _ORDERED or e.volatile for e in facts.effects)


def _is_plain(effect: Effect, kind: EffectKind) -> bool:
    return effect.kind is kind and effect.pointer is not None


def _find_lost_update(facts: KernelFacts, load: Effect, store: Effect) -> Race | None:
    try:
        lost = find_lost_update(facts, load, store)
    except (CannotTell, TooLarge):
        return None
    if lost is None:
        return None
    launch = f"launched in {lost.launch.where}"
    numbers = (
        f"{launch}, all {lost.programs}programs along axis {lost.axis} change the same elements of "
        f"{lost.name}, and what one of them stores another may not have seen"
    )
    return Race(load, store, numbers, "use an atomic, or give each program elements of its own")


def _find(facts: KernelFacts, load: Effect, store: Effect) -> Race | None:
    if load.mask is None and store.mask is not None and _has_lanes(facts, load):
        return None  # lanes that are off in the store may be of no use to anybody
    if store.stored is not None and store.stored.op in (Op.CONST, Op.CONSTEXPR, Op.FULL):
        return None  # whoever writes it, it is the same
    for launch in facts.launches.launches:
        if not (checks_are_understood(launch) and passes_any_size(launch)):
            continue
        bindings = [w for w in facts.launches.bindings if w.launch is launch]
        for binding in (w for w in bindings if not w.unread):
            try:
                reads = _Access(facts, launch, binding, load)
                writes = _Access(facts, launch, binding, store)
                found = reads.meets(writes)
            except (CannotTell, TooLarge):
                found = ""
            if found:
                return Race(load, store, found)
    return None


def _has_lanes(facts: KernelFacts, effect: Effect) -> bool:
    assert effect.pointer is not None
    return effect.pointer.shape != ()


class _Access(Trial):
    """A load or a store under one configuration of one launch."""

    _ends_at_buffer = False

    @cached_property
    def _part(self) -> tuple[ast.expr, int] | None:
        """The tensor that some rows of are passed, and the first of these."""
        argument = self._launch.arguments.get(self._base)
        part = None if argument is None else rows_from(self._launch, argument)
        return None if part is None or part[0] is argument else part

    @cached_property
    def _buffer(self) -> Polynomial:
        if self._part is None:
            return super()._buffer
        return forms_at(self._launch)(self._part[0])

    def meets(self, writes: _Access) -> str:
        """A program that reads what another one writes."""
        if self._buffer != writes._buffer or self._tensor != writes._tensor:
            return ""
        programs = {a for a in (*self._varying, *writes._varying) if isinstance(a, ProgramId)}
        rank = max(self._rank, writes._rank)
        if not programs or rank > MAX_RANK:
            return ""
        sizes_to_try = sorted(product(_LENGTHS, repeat=rank), key=lambda s: (max(s), s))
        for sizes in islice((s for s in sizes_to_try if min(s) > 1), MAX_TRIALS * rank):
            numbers = {**self._numbers(sizes), **writes._numbers(sizes)}
            if not (self._is_allowed(numbers) and writes._is_allowed(numbers)):
                continue
            written = writes._elements(sizes, numbers)
            for element, places in self._elements(sizes, numbers).items():
                for place, other in product(places, written.get(element, ())):
                    told = self._told_of_two(sizes, numbers, element, (place, other), programs)
                    if told:
                        return told
        return ""

    @property
    def _read_name(self) -> str:
        """The parameter of the kernel that is read; of a part of a tensor, the tensor."""
        return self._base if self._part is None else ast.unparse(self._part[0])

    def _elements(self, sizes: tuple[int, ...], numbers: dict[Atom, int]) -> Places:
        found: dict[int, list[dict[Atom, int]]] = {}
        first = 0 if self._part is None else self._part[1]
        skipped = first * math.prod(self._sizes_of(self._buffer, sizes)[1:])
        places = islice(self._all_places(sizes, numbers), MAX_PLACES)
        for place, element in reached(self, places, numbers):
            alike = found.setdefault(skipped + element, [])
            if len(alike) < 4:
                alike.append(place)
        return found

    def _all_places(
        self, sizes: tuple[int, ...], numbers: dict[Atom, int]
    ) -> Iterator[dict[Atom, int]]:
        """All places where they are few, else those at the ends and around the sizes."""
        counts = [self._most(atom, numbers) for atom in self._varying]
        if None in counts or math.prod(number or 0 for number in counts) > MAX_PLACES:
            return self._places(sizes, numbers)
        return self._chosen(numbers, lambda _, most: range(most))

    def _told_of_two(
        self,
        sizes: tuple[int, ...],
        numbers: Mapping[Atom, int],
        element: int,
        places: tuple[dict[Atom, int], dict[Atom, int]],
        programs: set[ProgramId],
    ) -> str:
        """What is to be said where the two places are of different programs; else ""."""
        mine, theirs = (dict(place) for place in places)
        for atom in sorted(programs, key=lambda a: a.key):
            count = self._most(atom, numbers)
            one, other = mine.get(atom), theirs.get(atom)
            if one is None and other is None:
                continue
            # Whoever does not ask for its number may have any.
            if one is None:
                one = mine[atom] = 0 if other or (count or 1) < 2 else 1
            if other is None:
                other = theirs[atom] = 0 if one or (count or 1) < 2 else 1
        differ = any(mine.get(a) != theirs.get(a) for a in programs)
        if not differ:
            return ""
        shape = f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"
        names = [_number(programs, place) for place in (mine, theirs)]
        return (
            f"with {self._tensor_name} of shape {shape}, program {names[0]} reads element "
            f"{element} of {self._read_name}, which program {names[1]} writes"
        )


def _number(programs: set[ProgramId], place: Mapping[Atom, int]) -> str:
    numbers = [str(place[a]) for a in sorted(programs, key=lambda a: a.key) if a in place]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
