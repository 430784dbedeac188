"""How many elements a masked sweep touches: the number that a mean must divide by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import CeilDiv, Iteration, Lane, Negative, ceiling_division
from tritonopt.facts.algebra.polynomial import ONE, ZERO, Atom, Polynomial
from tritonopt.facts.algebra.variation import varies_along, varies_with
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.effects import Loop

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


@dataclass(frozen=True)
class Lanes:
    """One axis of a tile: its number, counted from the right, and its extent."""

    axis: int
    extent: Polynomial


@dataclass(frozen=True)
class Stream:
    """One dimension of a sweep: `extent` elements, walked by a loop, by lanes, or by both."""

    loop: Loop | None
    lanes: Lanes | None
    extent: Polynomial
    masked: bool
    """A mask ends it; without one, every lane of every iteration counts."""


class NotCounted(Exception):
    """Why the elements cannot be counted, in words."""


@dataclass(frozen=True)
class Count:
    """The number of elements, how it is made up, and what was assumed for it.

    Extents are taken not to be negative: of a row of -3 elements nothing is read.
    """

    streams: tuple[Stream, ...]
    assumed: tuple[Assumption, ...]

    @property
    def total(self) -> Polynomial:
        result = ONE
        for stream in self.streams:
            result = result * stream.extent
        return result


def count_elements(
    facts: KernelFacts, mask: Iterable[Atom], loops: Sequence[Loop], lanes: Sequence[Lanes]
) -> Count:
    """Counts the (iteration, lane) pairs at which every indicator of the mask is 1.

    Raises NotCounted where the mask is not a conjunction of `index < limit` over
    separate dimensions, or where the loop need not reach the limit.
    """
    assumed: list[Assumption] = []
    streams: list[Stream] = []
    loops_left, lanes_left = list(loops), list(lanes)
    for indicator in mask:
        stream = _masked_stream(facts, indicator, loops_left, lanes_left, assumed)
        streams.append(stream)
        if stream.loop is not None:
            loops_left.remove(stream.loop)
        if stream.lanes is not None:
            lanes_left.remove(stream.lanes)
    for loop in loops_left:
        trips = facts.forms.trip_count(loop)
        if trips is None:
            raise NotCounted(
                f"the number of iterations of the loop in line {loop.line} is not known"
            )
        streams.append(Stream(loop, None, _exact(facts, trips, assumed), False))
    streams.extend(Stream(None, axis, axis.extent, False) for axis in lanes_left)
    for stream in streams:
        if any(varies_with(a, loop) for a in stream.extent.atoms for loop in loops) or any(
            varies_along(a, axis.axis) for a in stream.extent.atoms for axis in lanes
        ):
            raise NotCounted(f"the extent {stream.extent.readable} is not the same everywhere")
    return Count(tuple(streams), tuple(assumed))


def _masked_stream(
    facts: KernelFacts,
    indicator: Atom,
    loops: Sequence[Loop],
    lanes: Sequence[Lanes],
    assumed: list[Assumption],
) -> Stream:
    if not isinstance(indicator, Negative):
        raise NotCounted(f"the mask {indicator.readable} does not have the form index < limit")
    index = indicator.form
    my_loops = [loop for loop in loops if any(varies_with(a, loop) for a in index.atoms)]
    my_lanes = [axis for axis in lanes if any(varies_along(a, axis.axis) for a in index.atoms)]
    if len(my_loops) > 1 or len(my_lanes) > 1 or not (my_loops or my_lanes):
        raise NotCounted(
            f"the mask {indicator.readable} does not depend on exactly one loop and one axis"
        )
    loop = my_loops[0] if my_loops else None
    axis = my_lanes[0] if my_lanes else None
    walked = ZERO
    if axis is not None:
        walked = walked + Polynomial.of(Lane(axis.extent, axis.axis))
    if loop is not None:
        iteration = Polynomial.of(Iteration(loop.identity))
        walked = walked + iteration * (axis.extent if axis is not None else ONE)
    limit = walked - index
    if any(loop is not None and varies_with(a, loop) for a in limit.atoms) or any(
        axis is not None and varies_along(a, axis.axis) for a in limit.atoms
    ):
        raise NotCounted(
            "the index does not increase by one from lane to lane and from tile to tile"
        )
    if not facts.forms.is_integer(limit):
        raise NotCounted(f"it is not proved that {limit.readable} is an integer")
    stride = axis.extent if axis is not None else ONE
    if loop is not None:
        trips = facts.forms.trip_count(loop)
        if trips is None or not _reaches(facts, trips, limit, stride):
            raise NotCounted(
                f"the loop in line {loop.line} may not end where the mask ends ({limit.readable})"
            )
    elif not _at_most(facts, limit, stride, assumed):
        raise NotCounted(
            f"one tile of {stride.readable} may not hold all {limit.readable} elements"
        )
    return Stream(loop, axis, limit, True)


def _reaches(facts: KernelFacts, trips: Polynomial, limit: Polynomial, stride: Polynomial) -> bool:
    """Whether so many iterations of that stride come to the limit; what is beyond is masked."""
    if trips == ceiling_division(limit, stride):
        return True
    walked = ZERO
    for monomial, coefficient in trips.terms.items():
        part = Polynomial({monomial: coefficient})
        tiles = part.sole_atom
        if isinstance(tiles, CeilDiv) and tiles.divisor == stride:
            walked = walked + tiles.dividend
        else:
            walked = walked + part * stride
    slack = walked - limit
    return facts.forms.is_nonnegative(slack) or facts.forms.is_positive(slack + 1)


def end_of_mask(
    facts: KernelFacts, mask: Iterable[Atom], loop: Loop, lanes: Sequence[Lanes]
) -> tuple[Polynomial, Polynomial] | None:
    """The index from which on a mask is off, and how far an iteration goes, where a loop comes to
    that index; None if it need not.

    In all iterations that the loop could have more, the mask is off too.
    """
    for indicator in mask:
        if any(varies_with(atom, loop) for atom in indicator.leaves()):
            try:
                stream = _masked_stream(facts, indicator, [loop], lanes, [])
                return stream.extent, stream.lanes.extent if stream.lanes is not None else ONE
            except NotCounted:
                continue
    return None


def _at_most(
    facts: KernelFacts, small: Polynomial, large: Polynomial, assumed: list[Assumption]
) -> bool:
    slack = (large - small).constant_value
    if slack is not None:
        return slack >= 0
    assumption = facts.assumptions.nonnegative(large - small)
    if assumption is not None:
        assumed.append(assumption)
    return assumption is not None


def _exact(facts: KernelFacts, trips: Polynomial, assumed: list[Assumption]) -> Polynomial:
    """Ceiling divisions that are exact by assumption, as quotients."""
    quotient = ZERO
    for monomial, coefficient in trips.terms.items():
        factor = Polynomial({(): coefficient})
        for atom, power in monomial:
            inside = Polynomial.of(atom, power)
            if isinstance(atom, CeilDiv) and power == 1:
                assumption = facts.assumptions.multiple(atom.dividend, atom.divisor)
                if assumption is not None:
                    assumed.append(assumption)
                    inside = atom.dividend * atom.divisor.inverse()
            factor = factor * inside
        quotient = quotient + factor
    return quotient
