"""What decides how wide loads and stores may be, of what the compiler is told of numbers."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Iteration,
    Lane,
    Loaded,
    Mod,
    Negative,
    NumPrograms,
    Opaque,
    Param,
    ProgramId,
)
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.memory.offsets import number_of
from tritonopt.source import Launch

_PLACES = (CeilDiv, Iteration, Lane, NumPrograms, Param, ProgramId)
_USUAL_WARPS = 4
_Monomial = tuple[tuple[Atom, int], ...]


class Told(Enum):
    """What the compiler may be told of a number."""

    ALIGNED = "whether 16 divides it"
    ONE = "where it is 1"


@dataclass(frozen=True)
class Loss:
    """What the compiler is not told of a parameter, and what decides how wide an access is."""

    name: str
    what: str
    """In words, of this parameter alone."""
    told: Told
    effect: Effect
    is_place: bool = False
    """It says where one access begins or ends, and is no distance between many."""
    is_start: bool = False
    """It says where one begins: `first + lanes`."""


def widest_accesses(facts: KernelFacts) -> list[Effect]:
    """The loads and stores of the tiles with the most axes.

    Beside a matrix, what a kernel loads or stores for each of its rows counts for nothing.
    """
    axes: dict[Effect, int] = {}
    for effect in facts.effects:
        if effect.kind in (EffectKind.LOAD, EffectKind.STORE) and effect.pointer is not None:
            with suppress(TooLarge):
                _, offset = facts.forms.address(effect.pointer)
                axes[effect] = len({leaf for leaf in offset.leaves() if isinstance(leaf, Lane)})
    most = max(axes.values(), default=0)
    return [effect for effect, number in axes.items() if number == most]


def lengths_of(facts: KernelFacts) -> set[str]:
    """The parameters that masks and loops end with."""
    found: set[str] = set()
    masks = [e.mask for e in facts.effects if e.mask is not None and not e.mask.is_none]
    for mask in masks:
        with suppress(TooLarge):
            leaves = facts.forms.condition(mask).leaves()
            found |= {leaf.name for leaf in leaves if isinstance(leaf, Param)}
    stops = [loop.stop for loop in facts.loops if loop.stop is not None]
    for stop in stops:
        found |= {leaf.name for leaf in facts.forms.of(stop).leaves() if isinstance(leaf, Param)}
    return found


def lost_widths(facts: KernelFacts, effect: Effect) -> Iterator[Loss]:
    """The parameters that decide how wide an access may be."""
    assert effect.pointer is not None
    base, offset = facts.forms.address(effect.pointer)
    lanes = {atom for atom in offset.atoms if isinstance(atom, Lane)}
    if base is None or not lanes:
        return
    side_by_side = _side_by_side(offset)
    kind, constants = effect.kind.value, {p.name for p in facts.kernel.parameters if p.constexpr}
    ends = _ends(facts, effect, side_by_side)
    begins: list[str] = []
    for monomial, number in offset.terms.items():
        atom = _only(monomial)
        if atom in lanes and number == 1:
            continue
        sizes = _sizes(monomial)
        if not sizes and number % 16 != 0:
            return  # nothing that is told makes it a multiple of 16 bytes
        if len(sizes) == 1 and number % 2 and not sizes & constants:
            begins += sizes
            is_apart = any(a in lanes or _is_wrapped(a) for a, _ in monomial)
            if is_apart and not side_by_side and not _has_neighbor(facts, effect):
                what = f"{Told.ONE.value}, and lanes of the {kind} are adjacent"
                yield Loss(begins[-1], what, Told.ONE, effect)
    if not side_by_side or ends is None:
        return
    for name in begins:
        what = f"{Told.ALIGNED.value}, and so where the {kind} begins"
        is_start = Polynomial.of(Param(name)).terms.keys() <= offset.terms.keys()
        yield Loss(name, what, Told.ALIGNED, effect, is_start, is_start)
    for name in ends:
        what = f"{Told.ALIGNED.value}, and so where the {kind} ends"
        yield Loss(name, what, Told.ALIGNED, effect, is_place=True)


def may_end_neighbors(facts: KernelFacts, name: str) -> bool:
    """Whether a parameter may end lanes that lie side by side."""
    for effect in widest_accesses(facts):
        assert effect.pointer is not None
        _, offset = facts.forms.address(effect.pointer)
        ends = _ends(facts, effect, _side_by_side(offset))
        if ends is None or name in ends:
            return True
    return False


def _side_by_side(offset: Polynomial) -> set[Atom]:
    lanes = (_only(m) for m, c in offset.terms.items() if c == 1)
    return {atom for atom in lanes if isinstance(atom, Lane)}


def has_places(facts: KernelFacts, effect: Effect) -> bool:
    """Whether programs or turns of a loop have places of their own for it."""
    assert effect.pointer is not None
    _, offset = facts.forms.address(effect.pointer)
    places = (ProgramId, Iteration, Loaded, Opaque)
    return any(isinstance(leaf, places) for leaf in offset.leaves())


def _has_neighbor(facts: KernelFacts, effect: Effect) -> bool:
    """Whether another access is a parameter further on, as the second of a pair: `p + one`.

    Then that is what is 1, and lanes are pairs apart.
    """
    assert effect.pointer is not None
    base, offset = facts.forms.address(effect.pointer)
    for other in facts.effects:
        if other is effect or other.pointer is None or other.kind is not effect.kind:
            continue
        with suppress(TooLarge):
            same, place = facts.forms.address(other.pointer)
            apart = (place - offset, offset - place) if same == base else ()
            if any(isinstance(way.sole_atom, Param) for way in apart):
                return True
    return False


def _only(monomial: _Monomial) -> Atom | None:
    return monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None


def _sizes(monomial: _Monomial) -> set[str]:
    """The parameters in a product; none where it is loaded, or a number of turns or programs."""
    others = (a for a, _ in monomial if not (isinstance(a, Lane) or _is_wrapped(a)))
    factors = [Polynomial.of(atom) for atom in others]
    leaves = {leaf for factor in factors for leaf in factor.leaves()}
    if not all(isinstance(leaf, _PLACES) for leaf in leaves):
        return set()
    return {leaf.name for leaf in leaves if isinstance(leaf, Param)}


def _is_wrapped(atom: Atom) -> bool:
    """Whether it is lanes that begin anew at the end of a row: `rows % M`."""
    return isinstance(atom, Mod) and any(isinstance(leaf, Lane) for leaf in atom.dividend.leaves())


def _ends(facts: KernelFacts, effect: Effect, side_by_side: set[Atom]) -> list[str] | None:
    """Where the mask ends lanes that lie side by side; None where it ends them anywhere else."""
    if effect.mask is None or effect.mask.is_none:
        return []
    found: list[str] = []
    for atom in facts.forms.condition(effect.mask).atoms:
        if side_by_side.isdisjoint(Polynomial.of(atom).leaves()):
            continue
        if not isinstance(atom, Negative):
            return None
        for monomial, number in atom.form.terms.items():
            sizes = _sizes(monomial)
            if _only(monomial) in side_by_side:
                continue
            if not sizes and number % 16 != 0:
                return None
            found += sizes if len(sizes) == 1 and number % 2 else ()
    return found


# How many elements of an access a thread has, as the launches show it


def most_lanes(facts: KernelFacts, effect: Effect) -> int | None:
    """Of one thread, in whichever launch it has most; None where that is not known.

    Launches that are not seen are taken to be like those that are.
    """
    shown = list(_shown(facts))
    found = [_lanes_of_thread(facts, effect, launch, known) for launch, known in shown]
    numbers = [number for number in found if number is not None]
    return max(numbers) if numbers and len(numbers) == len(shown) else None


def _shown(facts: KernelFacts) -> Iterator[tuple[Launch, dict[Atom, int]]]:
    """Each launch, under each configuration, with the numbers that it gives to constants."""
    names = [p.name for p in facts.kernel.parameters if p.constexpr]
    bindings = facts.launches.bindings
    for binding in bindings:
        passed = {Param(name): binding.number(Param(name)) for name in names}
        numbers = {p: number for p, number in passed.items() if number is not None}
        yield binding.launch, _written(facts, binding.launch) | numbers
    for launch in () if bindings else facts.launches.launches:
        yield launch, _written(facts, launch)


def _written(facts: KernelFacts, launch: Launch) -> dict[Atom, int]:
    """What the launch says in so many numbers, and defaults, where nothing may choose another."""
    if _is_tuned(facts):
        return {}
    found: dict[Atom, int] = {}
    for parameter in facts.kernel.parameters:
        match launch.arguments.get(parameter.name, parameter.default):
            case ast.Constant(value=int() as number):
                found[Param(parameter.name)] = number
    return found


def _is_tuned(facts: KernelFacts) -> bool:
    """Whether a decorator may choose constants; one without arguments has none to choose."""
    own, names = facts.kernel.node.decorator_list, facts.kernel.decorators
    others = (d for d, name in zip(own, names, strict=True) if name != facts.kernel.jit)
    return any(isinstance(d, ast.Call) and (d.args or d.keywords) for d in others)


def _lanes_of_thread(
    facts: KernelFacts, effect: Effect, launch: Launch, known: Mapping[Atom, int]
) -> int | None:
    if effect.pointer is None:
        return None
    axes = [number_of(facts.forms.of(axis), known) for axis in effect.pointer.shape or ()]
    lengths = [axis for axis in axes if axis is not None]
    if len(lengths) != len(axes):
        return None
    return math.ceil(math.prod(lengths) / (32 * _warps(facts, launch)))


def _warps(facts: KernelFacts, launch: Launch) -> int:
    """As many as there are at least."""
    match launch.options.get("num_warps"):
        case None if not launch.hides_options and not _is_tuned(facts):
            return _USUAL_WARPS
        case ast.Constant(value=int() as number) if number > 0:
            return number
    return 1
