"""An access as coordinates: numbers from 0 on, each with what it is multiplied by in the address.

`P + row * N + cols` where `cols < N` has two: the row, which is a program id, times N, and the
column, which is below N, times 1. Between them they say which elements are accessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.checks.condition import Declined, unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import (
    Iteration,
    Lane,
    Mod,
    Negative,
    PowerOfTwo,
    ProgramId,
    ceiling_division,
)
from tritonopt.facts.algebra.polynomial import ONE, ZERO, Atom, Polynomial
from tritonopt.facts.effects import Effect


@dataclass(frozen=True, eq=False, repr=False)
class Shared(Atom):
    """The number of a group of programs, which take turns: `row % GROUPS`."""

    tag: ClassVar[str] = "shared"
    is_position: ClassVar[bool] = True
    count: Polynomial


CLAIM = "accumulators-can-be-combined"
POSITIONS = (ProgramId, Lane, Iteration, Shared)


def not_understood(text: str) -> Declined:
    """An address or a mask is none that is understood."""
    return unknown(CLAIM, "opaque-value", text)


@dataclass(frozen=True)
class Coordinate:
    """One number of an access, in the terms of its kernel."""

    form: Polynomial
    """Of program ids, lanes and iterations."""
    stride: Polynomial
    bound: Polynomial | None
    """The mask lets it be below this; None where there is no mask for it."""

    @property
    def positions(self) -> frozenset[Atom]:
        return frozenset(positions_in(self.form))


def positions_in(form: Polynomial) -> Iterable[Atom]:
    return (leaf for leaf in form.leaves() if isinstance(leaf, POSITIONS))


def coordinates_of(
    facts: KernelFacts, effect: Effect, group: Mod | None = None
) -> tuple[Coordinate, ...]:
    """The coordinates of an access to one parameter. Raises Declined.

    `group` is the number of a group of programs, which counts as one coordinate.
    """
    assert effect.pointer is not None
    base, rest = facts.forms.address(effect.pointer)
    if base is None:
        raise not_understood(f"where line {effect.line} goes to is not understood")
    if group is not None:
        shared = Shared(group.divisor)
        rest = rest.map(lambda atom: shared if atom == group else None)
    found: list[Coordinate] = []
    for form, bound in _bounds(facts, effect):
        atom = next((a for a in positions_in(form) if _factor(form, a) == ONE), None)
        stride = _factor(rest, atom) if atom is not None else None
        if stride is None or stride.is_zero:
            text = f"the mask in line {effect.line} is about something else than the place"
            raise not_understood(text)
        rest = rest - stride * form
        found.append(Coordinate(form, stride, bound))
    for atom in sorted(set(positions_in(rest)), key=lambda a: a.key):
        stride = _factor(rest, atom)
        if stride is None:
            raise not_understood(f"where line {effect.line} goes to is not understood")
        rest = rest - stride * Polynomial.of(atom)
        found.append(Coordinate(Polynomial.of(atom), stride, None))
    if not rest.is_zero:
        raise not_understood(f"line {effect.line} does not begin where its buffer does")
    _check_lanes(effect, found)
    return tuple(found)


def _bounds(facts: KernelFacts, effect: Effect) -> list[tuple[Polynomial, Polynomial]]:
    """(form, bound) for each part of the mask, `form < bound`."""
    if effect.mask is None or effect.mask.is_none:
        return []
    condition = facts.forms.condition(effect.mask)
    if condition == ONE:
        return []
    terms = list(condition.terms.items())
    if len(terms) != 1 or terms[0][1] != 1:
        raise not_understood(f"the mask in line {effect.line} is not understood")
    found = []
    for atom, _ in terms[0][0]:
        if not isinstance(atom, Negative):
            raise not_understood(f"the mask in line {effect.line} is not understood")
        places = {m for m in atom.form.terms if any(isinstance(a, POSITIONS) for a, _ in m)}
        form = Polynomial({m: c for m, c in atom.form.terms.items() if m in places})
        bound = form - atom.form
        if any(True for _ in positions_in(bound)):
            raise not_understood(f"the mask in line {effect.line} is not understood")
        found.append((form, bound))
    return found


def _factor(form: Polynomial, atom: Atom) -> Polynomial | None:
    """What an atom is multiplied by; None where it comes in otherwise too."""
    factor = ZERO
    for monomial, coefficient in form.terms.items():
        powers = dict(monomial)
        power = powers.pop(atom, 0)
        if any(atom in inner.leaves() for inner in powers) or power not in (0, 1):
            return None
        if power:
            factor = factor + Polynomial({tuple(p for p in monomial if p[0] != atom): coefficient})
    return None if any(True for _ in positions_in(factor)) else factor


def _check_lanes(effect: Effect, found: Iterable[Coordinate]) -> None:
    """Each lane goes to an element of its own."""
    assert effect.pointer is not None
    shape = effect.pointer.shape
    if shape is None:
        raise not_understood(f"the shape of what line {effect.line} accesses is not known")
    axes = {p.axis for c in found for p in c.positions if isinstance(p, Lane)}
    wide = {len(shape) - 1 - n for n, extent in enumerate(shape) if extent.constant != 1}
    if axes != wide:
        raise not_understood(f"several lanes of line {effect.line} go to one element")


def span(form: Polynomial, size_of: Callable[[Atom], Polynomial | None]) -> list[Polynomial]:
    """The factors of how many numbers a coordinate takes, each of them once, from 0 on.

    `size_of` says how many numbers a position takes. All is in terms of the launcher, the form
    too. Raises Declined where it may take a number twice, or leave one out.
    """
    left = {atom: _factor(form, atom) for atom in positions_in(form)}
    factors: list[Polynomial] = []
    reached = ONE
    while left:
        atom = next((a for a, factor in left.items() if factor == reached), None)
        size = size_of(atom) if atom is not None else None
        if atom is None or size is None:
            raise not_understood("it may take the same number twice, or leave one out")
        del left[atom]
        form = form - Polynomial.of(atom) * reached
        factors.append(size)
        reached = reached * size
    if not form.is_zero:
        raise not_understood("it does not begin with 0")
    return factors


def reaches(factors: list[Polynomial], bound: Polynomial) -> bool:
    """Whether so many numbers are all those below a bound, and more at most."""
    before, last = ONE, factors[-1]
    for factor in factors[:-1]:
        before = before * factor
    total = (before * last - bound).constant_value
    if total is not None and total >= 0:
        return True
    if last == ceiling_division(bound, before):
        return True
    return last == Polynomial.of(PowerOfTwo(bound)) and before == ONE
