"""Sums over lanes and over iterations, with what does not vary taken out of them.

A sum is an atom "total" over bound atoms, which stand for the lanes and iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations

from tritonopt.facts.algebra.atoms import (
    BoundIteration,
    BoundLane,
    Iteration,
    Lane,
    Maximum,
    Placed,
    Total,
)
from tritonopt.facts.algebra.indicators import NONNEGATIVE_ATOMS
from tritonopt.facts.algebra.polynomial import ZERO, Argument, Atom, Polynomial, monomial_polynomial
from tritonopt.facts.algebra.variation import varies_along, varies_with
from tritonopt.facts.effects import Loop


def sum_over_lanes(form: Polynomial, axis: int, extent: Polynomial) -> Polynomial:
    """The sum along one axis."""
    result = ZERO
    for monomial, coefficient in form.terms.items():
        inside = [(a, p) for a, p in monomial if varies_along(a, axis)]
        outside = [(a, p) for a, p in monomial if not varies_along(a, axis)]
        factor = extent
        if inside:
            term = monomial_polynomial(inside)
            lane = fresh_lane(term, extent)
            bound = term.map(partial(bind_lane, axis=axis, bound=lane))
            factor = _total(lane, extent, bound)
        result = result + monomial_polynomial(outside) * factor * coefficient
    return result


def sum_over_loop(form: Polynomial, loop: Loop, count: Polynomial) -> Polynomial:
    """The sum over all iterations of a loop; none where `count` is negative."""
    times = _at_least_zero(count)
    dimension = BoundIteration(loop.identity)
    iteration = Iteration(loop.identity)
    result = ZERO
    for monomial, coefficient in form.terms.items():
        inside = [(a, p) for a, p in monomial if varies_with(a, loop)]
        outside = [(a, p) for a, p in monomial if not varies_with(a, loop)]
        bound = monomial_polynomial(inside).map(lambda a: dimension if a == iteration else None)
        factor = _total(dimension, count, bound) if inside else times
        result = result + monomial_polynomial(outside) * factor * coefficient
    return result


def _total(dimension: Atom, extent: Polynomial, term: Polynomial) -> Polynomial:
    """The sum of a bound term; a sum of a sum is one sum over both dimensions."""
    dimensions: tuple[Argument, ...] = ((dimension, extent),)
    inner = term.sole_atom
    if inner is not None and isinstance(inner, Total):
        dimensions = (*dimensions, *inner.dimensions)
        term = inner.term
    total = Total(tuple(sorted(dimensions, key=str)), term)
    lanes = sorted({a for a in total.leaves() if isinstance(a, BoundLane)}, key=str)
    own = [a for a in lanes if any(isinstance(d, tuple) and d[0] == a for d in dimensions)]
    if len(own) < 2:
        return Polynomial.of(total)
    # Sums over several axes are one sum, in whichever order they were written.
    return Polynomial.of(min(_renumbered(dimensions, term, own), key=lambda atom: atom.key))


def _renumbered(
    dimensions: tuple[Argument, ...], term: Polynomial, lanes: Sequence[BoundLane]
) -> Iterator[Atom]:
    """The sum with its bound lanes numbered in every order."""
    numbers = [lane.number for lane in lanes]
    for order in permutations(numbers):
        renamed: dict[Atom, Atom] = {
            lane: BoundLane(lane.extent, n) for lane, n in zip(lanes, order, strict=True)
        }
        whole = Polynomial.of(Total(dimensions, term)).map(renamed.get)
        (total,) = whole.atoms
        assert isinstance(total, Total)
        yield Total(tuple(sorted(total.dimensions, key=str)), total.term)


def _at_least_zero(count: Polynomial) -> Polynomial:
    value = count.constant_value
    if value is not None:
        return count if value >= 0 else ZERO
    if all(
        c > 0 and all(p > 0 and isinstance(a, NONNEGATIVE_ATOMS) for a, p in m)
        for m, c in count.terms.items()
    ):
        return count
    left, right = sorted((ZERO, count), key=lambda side: side.key)
    return Polynomial.of(Maximum(left, right, ""))


def fresh_lane(term: Polynomial, extent: Polynomial) -> BoundLane:
    """A bound lane that is not in the term: sums inside of it keep their own."""
    taken = (a.number for a in term.leaves() if isinstance(a, BoundLane))
    return BoundLane(extent, 1 + max(taken, default=-1))


def bind_lane(atom: Atom, axis: int, bound: Atom) -> Atom | None:
    if isinstance(atom, Lane) and atom.axis == axis:
        return bound
    if isinstance(atom, Placed) and isinstance(atom.axes, tuple):
        return replace(atom, axes=tuple(bound if a == axis else a for a in atom.axes))
    return None
