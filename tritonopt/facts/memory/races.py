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

from tritonopt.facts.algebra.atoms import (
    Iteration,
    Lane,
    LauncherParameter,
    NumPrograms,
    Param,
    ProgramId,
    TensorSize,
)
from tritonopt.facts.algebra.divisibility import replaced, substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.host.callers import passes_any_size
from tritonopt.facts.host.launcher_code import forms_at
from tritonopt.facts.host.same_memory import rows_from
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.buffers import (
    MAX_RANK,
    CannotTell,
    Trial,
    conditions_of,
    reached,
    sizes_are_seen,
)
from tritonopt.facts.memory.circumstances import Dimensions, inputs_of, written_in
from tritonopt.facts.memory.offsets import COMPUTED, number_of
from tritonopt.facts.operations import Op
from tritonopt.facts.repetition import changes_when_repeated
from tritonopt.source import Launch

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_LENGTHS = (5, 3, 64, 100, 8, 1000, 5000)
MAX_TRIALS = 14
MAX_PLACES = 6000
_LAUNCHED_SIZES = (1000, 64, 4096)
"""What every size of every tensor may be, to see that there is more than one program."""
_AXES = 3
_PLACES = (Lane, Iteration, ProgramId, NumPrograms, Param, *COMPUTED)
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


@dataclass(frozen=True)
class Crossing:
    """A load and a write of one buffer that are not shown to keep to the program's own elements."""

    load: Effect
    write: Effect
    where: str = ""
    """The launch that passes one tensor for both of their parameters; "" for one parameter."""

    @property
    def told(self) -> str:
        return (
            f"the launch in {self.where} passes one tensor for what line {self.load.line} reads "
            f"and line {self.write.line} writes, at offsets that are not proved to be equal"
        )


def find_crossing(facts: KernelFacts, axis: int) -> Crossing | None:
    """A load that may give what a program of another number along an axis writes.

    Of one parameter, the offsets are apart by whole tiles, or by anything where tiles stand side by
    side. Of two that some launch passes one tensor for, they are not shown to be equal: whoever
    passes it counts on both going to the same elements.
    """
    for load in (e for e in facts.effects if _is_plain(e, EffectKind.LOAD)):
        for write in (e for e in facts.effects if e.writes and e.pointer is not None):
            for read, written in product(_buffers(facts, load), _buffers(facts, write)):
                if read == written:
                    if _are_tiles_apart(facts, load, write, axis):
                        return Crossing(load, write)
                elif not facts.why_disjoint(read, written)[0]:
                    for launch in facts.launches.passing_one_for_both(read, written):
                        if not _are_equal(facts, load, write, launch):
                            return Crossing(load, write, launch.where)
    return None


def _buffers(facts: KernelFacts, effect: Effect) -> frozenset[str]:
    """The parameters that an access may go to; all that are passed where that is not known."""
    known = facts.bases(effect)
    assert effect.pointer is not None
    base = facts.forms.address(effect.pointer)[0] if known is None else None
    if known is None and base is None:
        known = frozenset(p.name for p in facts.kernel.parameters if not p.constexpr)
    return frozenset({base}) if known is None and base is not None else known or frozenset()


def _are_equal(facts: KernelFacts, load: Effect, write: Effect, launch: Launch) -> bool:
    """Whether two accesses go to the same elements in the same order, be it in loops of their own.

    What a launch passes counts: its strides of one tensor are the same, whatever they are called.
    """
    assert load.pointer is not None
    assert write.pointer is not None
    one, read = facts.forms.address(load.pointer)
    other, written = facts.forms.address(write.pointer)
    if one is None or other is None:
        return False
    mine, theirs = (
        sorted(
            (a for a in form.atoms if isinstance(a, Iteration) and a not in another.atoms),
            key=lambda atom: atom.key,
        )
        for form, another in ((read, written), (written, read))
    )
    if len(mine) != len(theirs):
        return False
    for one_loop, other_loop in zip(mine, theirs, strict=True):
        counts = [_count(facts, a) for a in (one_loop, other_loop)]
        if counts[0] is None or counts[0] != counts[1]:
            return False
        read = replaced(read, {one_loop: Polynomial.of(other_loop)})
    passed = [b for b in facts.launches.bindings if b.launch is launch]
    apart = read - written
    return apart.is_zero or (
        bool(passed) and all(substitute(apart, binding).is_zero for binding in passed)
    )


def _count(facts: KernelFacts, atom: Iteration) -> Polynomial | None:
    loop = next((found for found in facts.loops if found.identity == atom.loop), None)
    return None if loop is None else facts.forms.trip_count(loop)


def _are_tiles_apart(facts: KernelFacts, load: Effect, write: Effect, axis: int) -> bool:
    """Whether two accesses of one parameter are as far apart as tiles along an axis are."""
    assert load.pointer is not None
    assert write.pointer is not None
    program = ProgramId(Polynomial.constant(axis))
    (one, read), (other, written) = map(facts.forms.address, (load.pointer, write.pointer))
    apart, step = read - written, written.coefficient(program)
    if one is None or other is None or apart.is_zero or step is None:
        return False
    if step != read.coefficient(program):
        return False
    if _is_same_for_program(apart) and apart.whole_quotient(step) is not None:
        return True
    side_by_side = any(isinstance(a, Lane) and a.extent == step for a in written.atoms)
    return side_by_side and _is_same_for_program(apart)


def _is_same_for_program(apart: Polynomial) -> bool:
    """Whether a distance is a number that the launch decides."""
    return all(isinstance(leaf, Param) for leaf in apart.leaves())


def _is_unordered(facts: KernelFacts) -> bool:
    return not any(e.kind in _ORDERED or e.volatile for e in facts.effects)


def _is_plain(effect: Effect, kind: EffectKind) -> bool:
    return effect.kind is kind and effect.pointer is not None


def _find_lost_update(facts: KernelFacts, load: Effect, store: Effect) -> Race | None:
    """Along the first axis of the grid along which all programs change the same elements.

    A program that is not told apart by its address, its masks or its branches does the same to the
    same elements as the others. Of two that load before either has stored, one has worked for
    nothing.
    """
    try:
        base = _updated(facts, load, store)
        for axis in range(_AXES) if base else ():
            own = ProgramId(Polynomial.constant(axis))
            for binding in facts.launches.bindings:
                if _are_several(binding, own) and _are_alike(facts, binding, (load, store), own):
                    return _lost_update(load, store, base, axis, binding)
    except (CannotTell, TooLarge):
        pass
    return None


def _lost_update(load: Effect, store: Effect, name: str, axis: int, binding: LaunchBinding) -> Race:
    number = binding.programs(ProgramId(Polynomial.constant(axis)))
    constant = None if number is None else number.constant_value
    programs = "" if constant is None else f"{constant} "
    numbers = (
        f"launched in {binding.launch.where}, all {programs}programs along axis {axis} change the "
        f"same elements of {name}, so one program may overwrite what another stored"
    )
    return Race(load, store, numbers, "use an atomic, or give each program its own elements")


def _updated(facts: KernelFacts, load: Effect, store: Effect) -> str:
    """The parameter of which a store changes what the load has read; empty where it does not."""
    if load.pointer is None or store.pointer is None or store.stored is None:
        return ""
    if load.loaded is None or load.order > store.order:
        return ""
    address = facts.forms_ignoring_memory.address(store.pointer)
    if address != facts.forms_ignoring_memory.address(load.pointer):
        return ""
    changes = changes_when_repeated(facts, store.stored, frozenset({load.order}))
    return (address[0] or "") if changes else ""


def _are_alike(
    facts: KernelFacts, binding: LaunchBinding, effects: tuple[Effect, ...], own: ProgramId
) -> bool:
    """Whether nothing that decides what is loaded and stored depends on the program's number."""
    forms: list[Polynomial] = []
    for effect in effects:
        assert effect.pointer is not None
        forms.append(facts.forms.address(effect.pointer)[1])
        for condition, holds in conditions_of(facts, effect):
            decided = substitute(condition, binding).constant_value
            if decided is None:
                forms.append(condition)
            elif bool(decided) != holds:
                return False
        for loop in effect.loops:
            count = facts.forms.trip_count(loop)
            if count is None:
                return False
            forms.append(count)
    return all(_is_alike(form, own) for form in forms)


def _is_alike(form: Polynomial, own: ProgramId) -> bool:
    """Whether a form is the same in all programs along an axis: nothing in it is loaded either."""
    leaves = set(form.leaves())
    return own not in leaves and all(isinstance(leaf, _PLACES) for leaf in leaves)


def _are_several(binding: LaunchBinding, own: ProgramId) -> bool:
    """Whether there is more than one program along an axis, for some sizes of tensors."""
    programs = binding.programs(own)
    if programs is None or binding.unread:
        return False
    if not all(isinstance(atom, TensorSize) for atom in inputs_of(programs)):
        return False  # callers may well pass what makes it one
    inputs = [atom for form in (programs, *binding.nonnegative) for atom in inputs_of(form)]
    for size in _LAUNCHED_SIZES:
        numbers: dict[Atom, int] = {atom: size for atom in inputs if isinstance(atom, TensorSize)}
        refused = any((number_of(form, numbers) or 0) < 0 for form in binding.nonnegative)
        if not refused and (number_of(programs, numbers) or 0) > 1:
            return True
    return False


def _find(facts: KernelFacts, load: Effect, store: Effect) -> Race | None:
    if load.mask is None and store.mask is not None and _has_lanes(facts, load):
        return None  # lanes that are off in the store may be of no use to anybody
    if store.stored is not None and store.stored.op in (Op.CONST, Op.CONSTEXPR, Op.FULL):
        return None  # whoever writes it, it is the same
    for launch in facts.launches.launches:
        if not (sizes_are_seen(launch) and passes_any_size(launch)):
            continue
        for binding in (w for w in facts.launches.bindings if w.launch is launch):
            try:
                free = _free_distances(facts, binding, load, store)
                reads = _Access(facts, launch, binding, load, free)
                writes = _Access(facts, launch, binding, store, free)
                found = reads.meets(writes)
            except (CannotTell, TooLarge):
                found = ""
            if found:
                return Race(load, store, found)
    return None


def _free_distances(
    facts: KernelFacts, binding: LaunchBinding, load: Effect, store: Effect
) -> frozenset[Atom]:
    """Arguments of the launcher that say how far apart the two accesses are, and nothing more."""
    assert load.pointer is not None
    assert store.pointer is not None
    (_, read), (_, written) = map(facts.forms.address, (load.pointer, store.pointer))
    apart = substitute(read - written, binding)
    grid = {a for form in binding.grid if form is not None for a in form.leaves()}
    return frozenset(
        atom
        for atom in apart.atoms
        if isinstance(atom, LauncherParameter) and atom not in grid
        if atom not in set(substitute(written, binding).leaves())
        if not any(isinstance(leaf, ProgramId) for leaf in apart.leaves())
    )


def _has_lanes(facts: KernelFacts, effect: Effect) -> bool:
    assert effect.pointer is not None
    return effect.pointer.shape != ()


class _Access(Trial):
    """A load or a store under one configuration of one launch."""

    _ends_at_buffer = False
    _leaves_open = True

    def __init__(
        self,
        facts: KernelFacts,
        launch: Launch,
        binding: LaunchBinding,
        effect: Effect,
        free: frozenset[Atom],
    ) -> None:
        self._free = free
        super().__init__(facts, launch, binding, effect)

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

    def _numbers(self, sizes: tuple[int, ...]) -> dict[Atom, int]:
        return {**super()._numbers(sizes), **dict.fromkeys(self._free, 1)}

    @cached_property
    def _varying(self) -> list[Atom]:
        return [atom for atom in super()._varying if atom not in self._free]

    def meets(self, writes: _Access) -> str:
        """A program that reads what another one writes."""
        if self._buffer != writes._buffer or self._tensor != writes._tensor:
            return ""
        programs = {a for a in (*self._varying, *writes._varying) if isinstance(a, ProgramId)}
        rank = max(self._rank, writes._rank)
        if not programs or rank > MAX_RANK:
            return ""
        self._ranks[self._tensor] = writes._ranks[self._tensor] = rank
        dims = Dimensions(self._ranks, self._checks)
        lengths = (*_LENGTHS, *written_in(self._checks))
        sizes_to_try = sorted(dims.sizes(lengths), key=_how_large)
        settings = self._both(writes, (s for s in sizes_to_try if min(s) > 1))
        for sizes, numbers in islice(settings, MAX_TRIALS * rank):
            written = writes._elements(sizes, numbers)
            for element, places in self._elements(sizes, numbers).items():
                for place, other in product(places, written.get(element, ())):
                    told = self._told_of_two(sizes, numbers, element, (place, other), programs)
                    if told:
                        return told
        return ""

    def _both(
        self, writes: _Access, sizes_to_try: Iterator[tuple[int, ...]]
    ) -> Iterator[tuple[tuple[int, ...], dict[Atom, int]]]:
        """Sizes, and what they come to, with which a launch comes to both accesses."""
        for sizes in sizes_to_try:
            for mine in self._settings(sizes):
                for theirs in writes._settings(sizes):
                    if all(mine[a] == theirs[a] for a in mine.keys() & theirs.keys()):
                        yield sizes, {**mine, **theirs}

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
        free = "".join(
            f" and {a.name} = 1"
            for a in sorted(self._free, key=str)
            if isinstance(a, LauncherParameter)
        )
        return (
            f"with {self._tensor_name} of shape {shape}{free}, program {names[0]} reads element "
            f"{element} of {self._read_name}, which program {names[1]} writes"
        )


def _how_large(sizes: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    """One large size is tried before several of middle size: tiles are often larger than these."""
    return sorted(sizes)[-2] if len(sizes) > 1 else 0, max(sizes), sizes


def _number(programs: set[ProgramId], place: Mapping[Atom, int]) -> str:
    numbers = [str(place[a]) for a in sorted(programs, key=lambda a: a.key) if a in place]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
