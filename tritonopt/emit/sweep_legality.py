"""Whether a sweep for the mean and a sweep for the variance may become one.

In forms: the first loop adds `term`, the second one `squared`. With the mask m and the
center c they must satisfy m * term == term and squared == term^2 - 2 * c * term + m * c^2,
and c must be the sum of all terms over their number.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.sweeps import TwoSums, comes_from
from tritonopt.facts import Atom, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import (
    Call,
    CeilDiv,
    Loaded,
    Maximum,
    Opaque,
    Param,
    Reduced,
    Total,
    Undef,
)
from tritonopt.facts.algebra.counting import Count, Lanes, NotCounted, count_elements, end_of_mask
from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.algebra.polynomial import ONE, Monomial, monomial_polynomial
from tritonopt.facts.algebra.variation import (
    sum_over_lanes,
    sum_over_loop,
    varies_along,
    varies_with,
)
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.precision import check_pins
from tritonopt.facts.reductions import Accumulation, accumulation, full_sum
from tritonopt.facts.values import FLOAT_BITS, is_integer


def _differs_in_time_only(
    candidate: TwoSums, first: Accumulation, renaming: Mapping[Atom, Atom]
) -> bool:
    """Whether both sweeps read the same addresses, but a store may lie between."""
    forms = candidate.facts.forms_ignoring_memory
    squares = accumulation(candidate.facts, forms, candidate.sweeps.second, candidate.name)
    added = accumulation(candidate.facts, forms, candidate.sweeps.first, first.name)
    if squares is None or added is None:
        return False
    return without_sums(squares.term.map(renaming.get)) == added.term * added.term


def without_sums(form: Polynomial) -> Polynomial:
    """The form with the sums of earlier sweeps, and so the center, set to 0."""
    terms = form.terms.items()
    return Polynomial({m: c for m, c in terms if not any(isinstance(a, Total) for a, _ in m)})


@dataclass(frozen=True)
class Fusion:
    """Two sweeps that may be merged, and what was shown of them."""

    facts: KernelFacts
    sweeps: TwoSweeps
    sum: Accumulation
    """What the first loop adds up, ..."""
    squares: Accumulation
    """... and what the second one does."""
    axes: tuple[int, ...]
    """The axes of the tile that are summed, in the loop or after it."""
    keep_dims: bool
    uses: tuple[ast.Call, ...]
    """The sums over the second accumulator's lanes, where the kernel takes them."""
    mean: Polynomial
    number: Polynomial
    """The number of elements, as the kernel divides by it, ..."""
    count: Count
    """... and how it comes about."""
    never_zero: bool
    """The kernel divides by 1 where there are no elements."""
    mask: frozenset[Atom]
    """Indicators of the lanes that count."""


def prove_fusion(candidate: TwoSums, attempt: Attempt) -> Fusion:
    """Goes through the conditions in the order in which a reader would ask for them.

    Raises Declined at the first one that does not hold, and TooLarge.
    """
    return _Legality(candidate, attempt).check()


@dataclass(frozen=True)
class _Center:
    """What the second loop subtracts."""

    value: Value
    mean: Polynomial
    """The same as a form."""


class _Legality:
    """One accumulator of the second loop against one first sweep, condition by condition."""

    def __init__(self, candidate: TwoSums, attempt: Attempt) -> None:
        self.candidate = candidate
        self.facts = candidate.facts
        self.sweeps = candidate.sweeps
        self.name = candidate.name
        self.attempt = attempt

    def check(self) -> Fusion:
        squares = self.candidate.squares
        if squares is None:
            more = f"the second loop uses {self.name} for more than adding to it"
            raise refuted("accumulators-are-sums", "accumulator-is-read", more)
        sweeps, attempt = self.sweeps, self.attempt
        sweeps.check_path(attempt)
        nests = [s.loops for s in self.candidate.sums]
        fitting = [nest for nest in nests if len(nest) == len(squares.loops)]
        loops = next(iter(fitting or nests), (sweeps.first,))
        renaming = sweeps.check_ranges(attempt, loops, squares.loops, self._end_of_mask)
        check_accumulator(self.facts.forms, squares)
        result = full_sum(sweeps, squares)
        center = self._center(squares)
        sums = [s for s in self.candidate.sums if s.loops == loops]
        added = self._sum(squares, sums, result.axes, center)
        pair = _Pair(
            self.candidate, attempt, added, squares, loops, renaming, result.axes, center.mean
        )
        pair.check_elements()
        number, count = pair.check_center()
        pair.check_polynomial()
        tile = squares.tile
        is_wide = not squares.axes or self.facts.precision.is_wide(tile)
        check_rounding(attempt, self.facts, added.tile, tile, renaming, is_wide=is_wide)
        sweeps.check_memory(attempt)
        sweeps.check_rest(attempt, self.name)
        check_pins(attempt, self.facts)
        overflow = "offsets fit int32, as in the original"
        attempt.assume("no-int32-overflow", overflow)
        return Fusion(
            self.facts,
            sweeps,
            added,
            squares,
            result.axes,
            result.keep_dims,
            result.uses,
            center.mean,
            number,
            count,
            _or_one(number) != number,
            pair.mask,
        )

    def _end_of_mask(self, loop: Loop) -> tuple[Polynomial, Polynomial] | None:
        """From where on what is added in a loop is masked off, by strides of which size.

        Of the first loop's sums the right one is not known yet: all that are masked must agree.
        """
        sums = [*self.candidate.sums, self.candidate.squares]
        ends = {
            end_of_mask(
                self.facts, common_indicators(s.term), loop, _lanes(self.facts.forms, s.shape)
            )
            for s in sums
            if s is not None and loop in s.loops
        }
        ends.discard(None)
        return ends.pop() if len(ends) == 1 else None

    def _check_not_read(self, accumulator: Accumulation) -> None:
        """Partial sums must not be used before the sweep has ended."""
        for loop in accumulator.loops:
            partial = loop.carried[accumulator.name]
            inside = [e for e in self.facts.effects if loop in e.loops]
            used = [v for e in inside for v in (e.pointer, e.mask, e.stored) if v is not None]
            used += [v for name, v in loop.following.items() if name != accumulator.name]
            if any(partial in value.walk() for value in used):
                read = f"{accumulator.name} is read in line {loop.line}'s loop, incomplete"
                raise refuted("accumulators-are-sums", "accumulator-is-read", read)

    def _center(self, squares: Accumulation) -> _Center:
        """What the second loop subtracts: its largest parts that the first one's sums go into."""
        claim, reason = "squares-of-deviations", "center-is-not-the-mean"
        if not self.candidate.depends:
            raise refuted(claim, reason, "the center is not computed from the first loop's sum")
        inside = {loop.identity for loop in self.facts.loops if self.sweeps.second in loop.nest}
        centers: list[Value] = []

        def descend(value: Value) -> None:
            if not comes_from(value, self.sweeps.first):
                return
            if inside & set(self.facts.interpretation.variant_loops(value)):
                for operand in value.operands:
                    descend(operand)
            elif value not in centers:
                centers.append(value)

        descend(squares.tile)
        if len({self.facts.forms.of(c) for c in centers}) != 1:
            several = "the center is not a result of the first loop that stays the same"
            raise refuted(claim, reason, several)
        return _Center(centers[0], self.facts.forms.of(centers[0]))

    def _sum(
        self,
        squares: Accumulation,
        sums: Sequence[Accumulation],
        axes: tuple[int, ...],
        center: _Center,
    ) -> Accumulation:
        """The accumulator of the first loop that the center is made from."""
        fitting = [s for s in sums if self._share_of(center, s, axes) is not None]
        if not fitting:
            for other in sums:
                check_accumulator(self.facts.forms, other)
            check_pins(self.attempt, self.facts)
            called = _called(self.candidate, center.value)
            other_sum = (
                f"deviations are taken from {called}, which is not the first loop's sum over the "
                "number of its elements"
            )
            raise refuted("squares-of-deviations", "center-is-not-the-mean", other_sum)
        added = fitting[0]
        check_accumulator(self.facts.forms, added)
        self._check_not_read(added)
        if float_type(added.initial) != float_type(squares.initial):
            types = f"{added.name} and {self.name} are of different types"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", types)
        self.attempt.prove("accumulators-are-sums", "both start at 0, in fp32 or wider")
        if added.shape != squares.shape:
            raise refuted("same-elements", "different-elements", "the tiles have other shapes")
        return added

    def _share_of(
        self, center: _Center, accumulator: Accumulation, axes: tuple[int, ...]
    ) -> Polynomial | None:
        return _share(self.facts.forms, center.mean, accumulator, axes)


@dataclass(frozen=True)
class _Pair:
    """Two accumulators that are a sum and what may be the squares around its mean."""

    candidate: TwoSums
    attempt: Attempt
    sum: Accumulation
    squares: Accumulation
    loops: tuple[Loop, ...]
    """Those of the sum."""
    renaming: Mapping[Atom, Atom]
    """What the trips of the second loop are called in the first one."""
    axes: tuple[int, ...]
    mean: Polynomial

    @property
    def facts(self) -> KernelFacts:
        return self.candidate.facts

    @property
    def term(self) -> Polynomial:
        """What one iteration of the first loop adds."""
        return self.sum.term

    @cached_property
    def mask(self) -> frozenset[Atom]:
        """The conditions without which it adds nothing."""
        return common_indicators(self.term)

    def check_elements(self) -> None:
        """The second loop must square the elements that the first one adds."""
        plain = without_sums(self.squares.term.map(self.renaming.get))
        self._check_padding()
        if plain != self.term * self.term:
            if _differs_in_time_only(self.candidate, self.sum, self.renaming):
                raise self.candidate.sweeps.change_of_data()
            other = "the second loop does not add the squares of the addends of the first loop"
            raise refuted("same-elements", "different-elements", other)
        bases = sorted({a.base for a in self.term.leaves() if isinstance(a, Loaded)})
        shown = f"both read the same elements of {', '.join(bases)}, under the same mask"
        self.attempt.prove("same-elements", shown)

    def _check_padding(self) -> None:
        """The lanes that the mask turns off must add nothing to the first sum."""
        claim, reason = "masked-off-lanes-add-nothing", "masked-off-lanes-count"
        if any(isinstance(atom, Undef) for atom in self.term.leaves()):
            undefined = (
                "the sum includes inactive lanes of a load without `other`, which are undefined"
            )
            raise refuted(claim, reason, undefined)
        lanes = _lanes(self.facts.forms, self.sum.shape)
        for indicators in map(_indicators, self.term.terms):
            # What is the same for all elements, a flag, may be asked of a part of them.
            if any(self._varies(indicator, lanes) for indicator in indicators - self.mask):
                added = "inactive lanes add a value to the first sum"
                raise refuted(claim, reason, added)

    def _varies(self, atom: Atom, lanes: Sequence[Lanes]) -> bool:
        """Whether it may differ from element to element of one sum."""
        return any(varies_along(atom, axis.axis) for axis in lanes) or any(
            varies_with(atom, loop) for loop in self.loops
        )

    def check_center(self) -> tuple[Polynomial, Count]:
        """The center must be that sum over the number of elements that go into it.

        Returns the number by which the kernel divides, and how it comes about.
        """
        claim, reason = "squares-of-deviations", "center-is-not-the-mean"
        share = _share(self.facts.forms, self.mean, self.sum, self.axes)
        assert share is not None
        count = self._count()
        total = count.total
        number = share.inverse() if len(share.terms) == 1 else None
        if number is None or not self._is_equal(_or_one(number), total):
            if not self.mask and any(isinstance(a, CeilDiv) for a in total.leaves()):
                unmasked = (
                    f"the tiles are not masked, so {total.readable} elements are added; "
                    "if the last tile is always full, give --assume with the `%` that says so"
                )
                raise unknown(claim, "different-range", unmasked)
            other = f"the sum of {total.readable} elements is multiplied by {share.readable}"
            raise refuted(claim, reason, other)
        mean = f"the sum of {total.readable} elements divided by their number"
        self.attempt.prove(claim, mean, count.assumed)
        return number, count

    def _count(self) -> Count:
        """The elements that one sum is made of."""
        shape = self.sum.shape
        lanes = [Lanes(len(shape) - 1 - a, self.facts.forms.of(shape[a])) for a in self.axes]
        varying = sorted((a for a in self.mask if self._varies(a, lanes)), key=str)
        try:
            return count_elements(self.facts, varying, self.loops, lanes)
        except NotCounted as error:
            raise unknown("squares-of-deviations", "different-range", str(error)) from error

    def _is_equal(self, number: Polynomial, total: Polynomial) -> bool:
        """Whether two counts are equal, if need be because every launch passes them equal."""
        if number == total:
            return True
        pairs: dict[Atom, Atom] = {
            mine: theirs
            for mine in number.atoms
            for theirs in total.atoms
            if isinstance(mine, Param)
            and isinstance(theirs, Param)
            and mine != theirs
            and self.facts.launches.equal(mine.name, theirs.name)
        }
        if number.map(pairs.get) != total.map(pairs.get):
            return False
        shown = ", ".join(f"{a.readable} == {b.readable}" for a, b in pairs.items())
        self.attempt.assume_no_other_launches(f"every launch in this file passes {shown}")
        return True

    def check_polynomial(self) -> None:
        """What is added must be the squared deviation where the mask is on, and 0 elsewhere."""
        mask = monomial_polynomial((a, 1) for a in self.mask)
        squared = self.squares.term.map(self.renaming.get)
        deviations = (
            self.term * self.term - self.term * self.mean * 2 + mask * self.mean * self.mean
        )
        rest = squared - deviations
        if not rest.is_zero:
            if not any(isinstance(a, Loaded) for m in rest.terms for a, _ in m):
                padding = "inactive lanes add the square of the mean to the second sum"
                raise refuted("masked-off-lanes-add-nothing", "masked-off-lanes-count", padding)
            other = "the second loop adds something other than squared deviations from the mean"
            raise refuted("squares-of-deviations", "not-a-square", other)
        self.attempt.prove(
            "squares-of-deviations", "the squares are not weighted, and inactive lanes add 0"
        )


def check_rounding(
    attempt: Attempt,
    facts: KernelFacts,
    first: Value,
    second: Value,
    renaming: Mapping[Atom, Atom],
    *,
    is_wide: bool = True,
) -> None:
    """Both sweeps must do the same arithmetic in the type of the data, which may be narrow.

    `first` and `second` are what they are made of, `renaming` is from the second to the first.
    """
    claim, steps, form = "rounding-is-free", facts.precision.narrow_steps, facts.forms.of
    ours, theirs = (
        {form(v) for v in steps(first)},
        {form(v).map(renaming.get) for v in steps(second)},
    )
    if ours != theirs or not is_wide:
        differ = "arithmetic in the type of the data, which may have 16 bits, differs"
        raise unknown(claim, "rounded-differently", differ)
    attempt.prove(claim, "all arithmetic that differs is in 32 bits or more")


def _lanes(forms: Forms, shape: Sequence[Value]) -> list[Lanes]:
    rank = len(shape)
    return [Lanes(rank - 1 - a, forms.of(shape[a])) for a in range(rank)]


def _called(candidate: TwoSums, value: Value) -> str:
    """The kernel's name for a value."""
    names = (n for n, v in candidate.facts.values.items() if v is value and isinstance(n, ast.Name))
    name = next(names, None)
    return name.id if name is not None else f"of {candidate.name}"


def check_accumulator(forms: Forms, accumulator: Accumulation) -> None:
    """It must start at 0 and be wide enough to hold a sum of squares."""
    name, dtype = accumulator.name, accumulator.initial.dtype
    if is_integer(dtype) or dtype == "int" or is_integer(accumulator.tile.dtype):
        integers = f"{name} sums integers; only sums of floats are merged"
        raise refuted("type-stays", "data-is-integer", integers)
    if not forms.of(accumulator.initial).is_zero:
        claim = "accumulators-are-sums"
        raise refuted(claim, "accumulator-starts-elsewhere", f"{name} does not start at 0")
    if dtype != "float" and FLOAT_BITS.get(dtype or "", 0) < 32:
        shown = dtype or "of unknown type"
        raise refuted("accumulators-are-wide", "accumulator-is-narrow", f"{name} is {shown}")


def _share(
    forms: Forms, mean: Polynomial, accumulator: Accumulation, axes: tuple[int, ...]
) -> Polynomial | None:
    """The number by which an accumulator's full sum is multiplied to give the center."""
    rank = len(accumulator.shape)
    total = accumulator.term
    for axis in sorted(axes):
        if axis < rank:
            extent = forms.of(accumulator.shape[axis])
            total = sum_over_lanes(total, rank - 1 - axis, extent)
    for loop in reversed(accumulator.loops):
        count = forms.trip_count(loop)
        if count is None:
            return None
        total = sum_over_loop(total, loop, count)
    share = mean.divided_by(total)
    if share is None:
        return None
    data = (Loaded, Total, Opaque, Reduced, Call)
    leaves = [leaf for leaf in share.leaves() if isinstance(leaf, data)]
    # A length that was loaded is a number like another.
    return share if all(forms.is_integer(Polynomial.of(leaf)) for leaf in leaves) else None


def _or_one(number: Polynomial) -> Polynomial:
    """N of `tl.maximum(N, 1)`: of no elements the sum is 0, whatever it is divided by."""
    atom = number.sole_atom
    if isinstance(atom, Maximum) and ONE in (atom.left, atom.right):
        return atom.right if atom.left == ONE else atom.left
    return number


def _indicators(monomial: Monomial) -> frozenset[Atom]:
    return frozenset(atom for atom, _ in monomial if atom.is_indicator)


def common_indicators(form: Polynomial) -> frozenset[Atom]:
    """The conditions without which a form is 0."""
    found = [_indicators(monomial) for monomial in form.terms]
    return frozenset.intersection(*found) if found else frozenset()


def float_type(value: Value) -> str | None:
    """The type of an accumulator that starts as this value: a Python float is fp32."""
    return "fp32" if value.dtype == "float" else value.dtype
