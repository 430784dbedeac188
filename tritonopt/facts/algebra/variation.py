"""Along which lanes and loops a form varies, and sums over these.

Lanes are numbered from the last axis, so that broadcasting changes nothing: `cols` and
`cols[None, :]` have one form. A sum is an atom "total" over bound atoms, which stand for the lanes
and iterations; what does not vary is taken out of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations

from tritonopt.facts.algebra.atoms import (
    BoundIteration,
    BoundLane,
    Call,
    HiddenLane,
    Iteration,
    Lane,
    Maximum,
    Opaque,
    Placed,
    Total,
)
from tritonopt.facts.algebra.indicators import NONNEGATIVE_ATOMS
from tritonopt.facts.algebra.polynomial import ZERO, Argument, Atom, Polynomial, monomial_polynomial
from tritonopt.facts.effects import Loop


def _is_carried_by(leaf: Atom, loop: Loop) -> bool:
    own = leaf.identity if isinstance(leaf, Opaque) else None
    return isinstance(own, tuple) and own[:2] == ("carried", loop.identity)


def varies_itself(leaf: Atom, loop: Loop) -> bool:
    return leaf == Iteration(loop.identity) or _is_carried_by(leaf, loop)


def varies_with(atom: Atom, loop: Loop) -> bool:
    """Whether an atom may differ between iterations of a loop."""
    return any(varies_itself(leaf, loop) for leaf in atom.leaves())


def varies_along(atom: Atom, axis: int) -> bool:
    """Whether an atom may differ between lanes along an axis, counted from the right."""
    for leaf in atom.leaves():
        if isinstance(leaf, Lane) and leaf.axis == axis:
            return True
        if isinstance(leaf, Placed) and (leaf.axes == "unknown" or axis in leaf.axes):
            return True
        if isinstance(leaf, Call):
            return True
    return False


def has_unknown_axes(form: Polynomial) -> bool:
    """Whether it is not known along which axes the form varies: nobody can move or sum them."""
    return any(
        isinstance(leaf, Call) or (isinstance(leaf, Placed) and leaf.axes == "unknown")
        for leaf in form.leaves()
    )


def move_axes(form: Polynomial, moved: dict[int, int]) -> Polynomial:
    """The form with lanes along axis `a` now along `moved.get(a, a)`."""
    if all(a == b for a, b in moved.items()):
        return form

    def change(atom: Atom) -> Atom | None:
        if isinstance(atom, Lane):
            return Lane(atom.extent, moved.get(atom.axis, atom.axis))
        if isinstance(atom, Placed) and isinstance(atom.axes, tuple):
            elsewhere = tuple(moved.get(a, a) if isinstance(a, int) else a for a in atom.axes)
            return replace(atom, axes=elsewhere)
        return None

    return form.map(change)


def hide_lanes(form: Polynomial) -> Polynomial:
    """Lanes that are no longer the result's own axes."""
    return form.map(lambda a: HiddenLane(a.extent, a.axis) if isinstance(a, Lane) else None)


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
