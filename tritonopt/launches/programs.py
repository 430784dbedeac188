"""What the programs of a launch know of each other, which a rewrite of the grid would change.

A program may ask which one it is, through a helper or in what it prints, and may read what another
one writes. It may ask how many there are, and a launch may start one for each multiprocessor.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import Atom, EffectKind, KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Iteration, NumPrograms, ProgramId, Quotient
from tritonopt.facts.algebra.polynomial import Monomial
from tritonopt.facts.effects import Loop
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.language import DTYPES, MATH_MODULES, function
from tritonopt.facts.memory.races import find_crossing, find_races
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.facts.recurrences.reading import bounds_of
from tritonopt.facts.values import Value
from tritonopt.launches.launch_grids import Extent
from tritonopt.source import Launch

_OF_HOST = frozenset({"triton.cdiv", "triton.next_power_of_2"})
_OF_THE_LANGUAGE = (
    frozenset({"dtype", "constexpr_type", "pointer_type", "load_tensor_descriptor"})
    | frozenset({"store_tensor_descriptor", "_experimental_descriptor_load"})
    | frozenset({"_experimental_descriptor_store", *DTYPES})
)
"""Calls whose effects on memory may not be known, but which cannot ask which program runs."""
_WRITES = frozenset({EffectKind.STORE, EffectKind.ATOMIC})


def check_program_ids(ids: ProgramIds) -> None:
    """Whether all that asks which program it is stands in the kernel. Raises Declined."""
    claim = "rows-can-be-lifted"
    if ids.unknown is not None:
        detail = f"the axis of {ast.unparse(ids.unknown)} is not a number: write 0, 1 or 2 there"
        raise unknown(claim, "axis-is-not-known", detail)
    if ids.in_helper:
        detail = f"{ids.in_helper} reads the program id itself: pass it as an argument"
        raise refuted(claim, "program-ids-are-used", detail)


def check_effects(facts: KernelFacts, attempt: Attempt) -> None:
    """Whether nothing can tell one program from another. Raises Declined."""
    claim = "effects-are-known"
    for effect in facts.effects:
        if effect.kind is EffectKind.CALL and not _knows_no_grid(effect.name):
            detail = f"what {effect.name} in line {effect.line} does is not known"
            why = "it may read the program id; if a file defines it, give that file too"
            raise unknown(claim, "unknown-call", f"{detail}: {why}")
        if effect.kind is EffectKind.PRINT and effect.name == "device_print":
            detail = f"what line {effect.line} prints begins with the program id"
            raise refuted(claim, "program-ids-are-used", detail)
    for loop in facts.loops:
        if "warp_specialize" in loop.options:
            detail = f"the loop in line {loop.line} says warp_specialize"
            raise refuted(claim, "loop-options", detail)
    attempt.prove(claim, "no call with unknown effects")


def _knows_no_grid(name: str) -> bool:
    """Whether a function of Triton's own cannot tell one program from another."""
    if name in _OF_HOST or any(f".{module}" in f".{name}" for module in MATH_MODULES[1:]):
        return name.startswith("triton.")
    return function(name) in _OF_THE_LANGUAGE


def check_races(facts: KernelFacts, axis: int, attempt: Attempt) -> None:
    """Whether no tile shows in which order the tiles are taken. Raises Declined.

    One that reads what another writes would.
    """
    claim = "parts-are-independent"
    kinds = {effect.kind for effect in facts.effects}
    if EffectKind.LOAD not in kinds or not kinds & _WRITES:
        attempt.prove(claim, "no tile reads what another writes")
        return
    found = find_crossing(facts, axis)
    if found is not None:
        detail = (
            f"line {found.load.line} reads what line {found.write.line} writes for another tile"
        )
        if found.where:
            raise unknown(
                claim, "tiles-race", f"{found.told}, and what one tile reads another may write"
            )
        raise refuted(claim, "tiles-race", detail)
    _check_parts(facts, claim)
    for race in find_races(facts):
        detail = f"line {race.load.line} reads what line {race.store.line} writes: {race.numbers}"
        raise refuted(claim, "tiles-race", detail)
    attempt.prove(claim, "no tile is known to read what another writes")


def _check_parts(facts: KernelFacts, claim: str) -> None:
    """Parts of one tensor that overlap are neither one buffer nor two."""
    writes = [effect for effect in facts.effects if effect.kind in _WRITES]
    others = [effect for effect in facts.effects if effect.pointer is not None]
    for write, effect in product(writes, others):
        if write.kind is effect.kind is EffectKind.ATOMIC:
            continue  # in no order anyhow
        for written, used in product(facts.bases(write) or (), facts.bases(effect) or ()):
            where = facts.launches.overlap(written, used) if written != used else ""
            if where:
                detail = (
                    f"line {write.line} writes to {written}, and line {effect.line} goes to "
                    f"{used}: the launch in {where} passes parts of one tensor for them, which "
                    "may overlap"
                )
                raise unknown(claim, "tiles-race", detail)


def check_program_count(facts: KernelFacts, ids: ProgramIds) -> None:
    """Whether the number of programs stands for the number of tiles. Raises Declined.

    A kernel that goes on to its next tile by it handles several tiles already, and so does one that
    divides the work by it. For any other a loop over tiles can tell their number as well.
    """
    claim = "rows-can-be-lifted"
    if ids.counted_in_helper:
        detail = f"{ids.counted_in_helper} reads the number of programs: pass it as an argument"
        raise refuted(claim, "program-ids-are-used", detail)
    if not ids.counts:
        return
    strided, divides = _ways_through_tiles(facts, ids.axis)
    if strided is not None:
        detail = f"the loop in line {strided.line} already has the number of programs as its step"
        raise refuted(claim, "already-done", detail)
    line = ids.counts[0].lineno
    if divides:
        detail = f"the work is divided by the number of programs, which line {line} reads"
        raise refuted(claim, "already-done", detail)
    for loop in facts.loops:
        if any(map(_counts_programs, bounds_of(loop))):
            detail = f"the loop in line {loop.line} depends on the number of programs"
            raise refuted(claim, "program-ids-are-used", detail)


def _ways_through_tiles(facts: KernelFacts, axis: int) -> tuple[Loop | None, bool]:
    """A loop that strides by the number of programs, and whether each has its share of the work."""
    divides, programs = False, NumPrograms(Polynomial.constant(axis))
    for form in _index_forms(facts):
        for atom in form.atoms:
            if isinstance(atom, Quotient) and programs in atom.leaves():
                divides = True
        for loop in facts.loops:
            if _strides(form, loop, axis):
                return loop, divides
    return None, divides


def _index_forms(facts: KernelFacts) -> Iterator[Polynomial]:
    """The forms of the kernel's scalars that the number of programs goes into."""
    forms = facts.forms
    for value in facts.interpretation.computed:
        if value.rank in (0, None) and _counts_programs(value):
            yield forms.of(value)
    for loop in facts.loops:
        iteration = Polynomial.of(Iteration(loop.identity))
        if loop.start is not None and loop.step is not None and _counts_programs(loop.step):
            yield forms.of(loop.start) + forms.of(loop.step) * iteration
        for name, following in loop.following.items():
            if name in loop.initial and name in loop.carried and _counts_programs(following):
                step = forms.of(following) - forms.of(loop.carried[name])
                yield forms.of(loop.initial[name]) + step * iteration


def _strides(form: Polynomial, loop: Loop, axis: int) -> bool:
    """Whether the program id and every so many programs, by iterations, go into it alike."""
    of_axis = Polynomial.constant(axis)
    programs, tile = NumPrograms(of_axis), ProgramId(of_axis)
    iteration = Iteration(loop.identity)
    of_tile = {_without(m, {tile}): c for m, c in form.terms.items() if (tile, 1) in m}
    return any(
        of_tile.get(_without(monomial, {programs, iteration})) == coefficient
        for monomial, coefficient in form.terms.items()
        if (programs, 1) in monomial and (iteration, 1) in monomial
    )


def _without(monomial: Monomial, atoms: set[Atom]) -> Monomial:
    return tuple(power for power in monomial if power[0] not in atoms)


def _counts_programs(value: Value) -> bool:
    return any(part.op is Op.NUM_PROGRAMS for part in value.walk())


_PROCESSORS = ("multi_processor_count", "multiprocessor_count")
"""What torch and Triton's driver call their number."""
_MAX_DEPTH = 4


def check_grids(extents: Sequence[Extent]) -> None:
    """Whether a launch may start more programs than there are multiprocessors. Raises Declined."""
    if extents and all(_is_of_processors(e.launch, e.expression) for e in extents):
        lines = ", ".join(str(extent.launch.call.lineno) for extent in extents)
        detail = f"line {lines} starts at most one program per multiprocessor, each for one tile"
        raise refuted("grid-is-known", "grid-of-processors", detail)


def _is_of_processors(launch: Launch, count: ast.expr | None, depth: int = 0) -> bool:
    """Whether a number is that of the multiprocessors, or not above it, where there are any.

    On other devices it may be what these say: a constant, an attribute, a call of its own.
    """
    match count:
        case ast.Constant(value=1):
            return True
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=name)) if (
            name in _PROCESSORS
        ):
            return True
        case ast.Call(func=ast.Name(id="min"), args=limits, keywords=[]):
            return any(_is_of_processors(launch, limit, depth) for limit in limits)
        case ast.Name(id=name) if launch.launcher is not None and depth < _MAX_DEPTH:
            names = names_of(launch.launcher)
            given = names.assigned.get(name, [])
            asked = [_is_of_processors(launch, value, depth + 1) for value in given]
            others = [value for value, asks in zip(given, asked, strict=True) if not asks]
            plain = all(map(_is_of_another_device, others))
            return name not in names.bound_otherwise and any(asked) and plain
    return False


def _is_of_another_device(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.Attribute() | ast.Call(args=[], keywords=[]):
            return True
    return False
