"""Whether a sweep for the mean and a sweep for the variance may become one.

In forms: the first sweep adds `term`, the second one `squared`. With the mask m and the
centre c they must satisfy m * term == term and squared == term^2 - 2 * c * term + m * c^2,
and c must be the sum of all terms over their number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tritonopt.facts import Atom, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.counting import Count, Lanes, NotCounted, count_elements, end_of_mask
from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.algebra.polynomial import ONE, Monomial, monomial_polynomial
from tritonopt.facts.algebra.sums import sum_over_lanes, sum_over_loop
from tritonopt.facts.algebra.variation import varies_along, varies_with
from tritonopt.facts.reductions import Accumulation, summed_tile
from tritonopt.facts.values import FLOAT_BITS, is_integer
from tritonopt.rewriting.checklist import Checklist, refuted, unknown
from tritonopt.source.trees import walk
from tritonopt.transforms.loop_fusion.differences import why_elements_differ, without_sums
from tritonopt.transforms.loop_fusion.loop_nests import TwoSweeps, check_pins
from tritonopt.transforms.loop_fusion.sweep_pairs import TwoSums


@dataclass(frozen=True)
class Fusion:
    """Two sweeps that may be merged, and what was shown of them."""

    facts: KernelFacts
    sweeps: TwoSweeps
    sum: Accumulation
    """What the first sweep adds up, ..."""
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


def prove_fusion(candidate: TwoSums, checklist: Checklist) -> Fusion:
    """Goes through the conditions in the order in which a reader would ask for them.

    Raises Declined at the first one that does not hold, and TooLarge.
    """
    return _Legality(candidate, checklist).check()


class _Legality:
    """One accumulator of the second sweep against one first sweep, condition by condition."""

    def __init__(self, candidate: TwoSums, checklist: Checklist) -> None:
        self.candidate = candidate
        self.facts = candidate.facts
        self.sweeps = candidate.sweeps
        self.name = candidate.name
        self.checklist = checklist
        self.uses: list[ast.Call] = []
        self.axes: tuple[int, ...] = ()
        self.keep_dims = False

    def check(self) -> Fusion:
        squares = self.candidate.squares
        if squares is None:
            more = f"the second loop uses {self.name} for more than adding to it"
            raise refuted("accumulators-are-sums", "accumulator-is-read", more)
        sweeps, checklist = self.sweeps, self.checklist
        sweeps.check_path(checklist)
        nests = [s.loops for s in self.candidate.sums]
        fitting = [nest for nest in nests if len(nest) == len(squares.loops)]
        self.loops = next(iter(fitting or nests), (sweeps.first,))
        self.renaming = sweeps.check_ranges(checklist, self.loops, squares.loops, self._end_of_mask)
        _check_accumulator(self.facts.forms, squares)
        self._find_axes(squares)
        self._find_centre(squares)
        self._check_centre_is_exact()
        self._find_sum(squares)
        self._check_elements(squares)
        self._check_centre()
        self._check_polynomial(squares)
        self._check_rounding(squares)
        sweeps.check_memory(checklist)
        sweeps.check_rest(checklist, self.name)
        check_pins(checklist, self.facts)
        overflow = "index arithmetic is taken over the integers, and is the original's own"
        checklist.assume("no-int32-overflow", overflow)
        return Fusion(
            self.facts,
            sweeps,
            self.sum,
            squares,
            self.axes,
            self.keep_dims,
            tuple(self.uses),
            self.mean,
            self.number,
            self.count,
            _or_one(self.number) != self.number,
            self.mask,
        )

    def _end_of_mask(self, loop: Loop) -> tuple[Polynomial, Polynomial] | None:
        """From where on what is added in a loop is masked off, by strides of which size.

        Of the first sweep's sums the right one is not known yet: all that are masked must agree.
        """
        sums = [*self.candidate.sums, self.candidate.squares]
        ends = {
            end_of_mask(self.facts, common_indicators(s.term), loop, self._lanes(s.shape))
            for s in sums
            if s is not None and loop in s.loops
        }
        ends.discard(None)
        return ends.pop() if len(ends) == 1 else None

    def _lanes(self, shape: tuple[Value, ...]) -> list[Lanes]:
        rank = len(shape)
        return [Lanes(rank - 1 - a, self.facts.forms.of(shape[a])) for a in range(rank)]

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

    def _find_axes(self, squares: Accumulation) -> None:
        """Along which axes of the tile the squares are summed."""
        if squares.axes or not squares.shape:
            self.axes = squares.axes
            return
        result = self.sweeps.second.result[self.name]
        sums: dict[ast.Call, tuple[tuple[int, ...], bool]] = {}
        for node, value in self.facts.values.items():
            tile, axes = summed_tile(value)
            if tile is result and axes and isinstance(node, ast.Call):
                sums[node] = (axes, value.reduction.keep_dims)
        nested = {inner for call in sums for inner in walk(call) if inner is not call}
        effects = {effect.node for effect in self.facts.effects}
        self.uses = [call for call in sums if call not in nested]
        kinds = {sums[call] for call in self.uses}
        covered = {inner for call in self.uses for inner in walk(call)}
        reads = _reads_of_lanes(self.candidate, result)
        whole = all(node in covered for node in reads) and not covered & effects
        if not reads or not whole or len(kinds) != 1:
            escapes = f"{self.name} is used after its loop other than through its sum"
            raise refuted("only-the-full-sum-is-used", "partial-sums-escape", escapes)
        ((self.axes, self.keep_dims),) = kinds

    def _find_centre(self, squares: Accumulation) -> None:
        """What the second sweep subtracts: its largest parts that the first one's sums go into."""
        claim, reason = "centre-is-the-mean", "centre-is-not-the-mean"
        if not self.candidate.depends:
            raise refuted(claim, reason, "the centre is not computed from the first sweep's sum")
        inside = {loop.identity for loop in self.facts.loops if self.sweeps.second in loop.nest}
        centres: list[Value] = []

        def descend(value: Value) -> None:
            if not mentions(value, self.sweeps.first):
                return
            if inside & set(self.facts.interpretation.variant_loops(value)):
                for operand in value.operands:
                    descend(operand)
            elif value not in centres:
                centres.append(value)

        descend(squares.tile)
        if len({self.facts.forms.of(c) for c in centres}) != 1:
            if any(sum(a.tag == "load" for a, _ in m) > 1 for m in squares.term.terms):
                product = "two different deviations are multiplied"
                raise refuted("squares-of-deviations", "not-a-square", product)
            several = "the centre is not one result of the first sweep that stays what it is"
            raise refuted(claim, reason, several)
        self.centre = centres[0]
        self.mean = self.facts.forms.of(self.centre)

    def _check_centre_is_exact(self) -> None:
        for atom in _outside_totals(self.mean):
            if atom.tag in ("round", "cast"):
                centre = _called(self.candidate, self.centre)
                rounded = f"{centre} is rounded to another type before its use"
                raise refuted("centre-is-unrounded", "centre-is-rounded", rounded)
        for atom in self.mean.leaves():
            if atom.tag == "tile" and f"('result', {self.sweeps.first.identity}, " in atom.key:
                name, line = atom.readable.rstrip("?"), self.sweeps.first.line
                more = f"the loop in line {line} uses {name} for more than adding to it"
                raise refuted("accumulators-are-sums", "accumulator-is-read", more)

    def _find_sum(self, squares: Accumulation) -> None:
        """The accumulator of the first sweep that the centre is made from."""
        self.candidates = [s for s in self.candidate.sums if s.loops == self.loops]
        fitting = [s for s in self.candidates if self._share_of(s, self.axes) is not None]
        if not fitting:
            for other in self.candidates:
                _check_accumulator(self.facts.forms, other)
                self._check_axes(other)
            check_pins(self.checklist, self.facts)
            centre = _called(self.candidate, self.centre)
            other_sum = (
                f"deviations are taken from {centre}, which is not the first sweep's sum over the "
                "number of its elements"
            )
            raise refuted("centre-is-the-mean", "centre-is-not-the-mean", other_sum)
        self.sum = fitting[0]
        _check_accumulator(self.facts.forms, self.sum)
        self._check_not_read(self.sum)
        if float_type(self.sum.initial) != float_type(squares.initial):
            types = f"{self.sum.name} and {self.name} are of different types"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", types)
        self.checklist.prove("accumulators-start-at-zero", "both start at 0, in fp32 or wider")
        if self.sum.shape != squares.shape:
            raise refuted("same-elements", "different-elements", "the tiles have other shapes")

    def _check_axes(self, accumulator: Accumulation) -> None:
        """The squares must be summed along the axes that the mean was taken over."""
        rank = len(accumulator.shape)
        for axes in (a for n in range(1, rank + 1) for a in combinations(range(rank), n)):
            if axes != self.axes and self._share_of(accumulator, axes) is not None:
                other = f"{self.name} is summed along other axes than the mean was"
                raise refuted("only-the-full-sum-is-used", "partial-sums-escape", other)

    def _check_elements(self, squares: Accumulation) -> None:
        """The second sweep must square the elements that the first one adds."""
        self.term = self.sum.term
        plain = without_sums(squares.term.map(self.renaming.get))
        if any(plain == s.term * s.term for s in self.candidates if s.term != self.term):
            other = "the centre is the mean of other elements"
            raise refuted("centre-is-the-mean", "centre-is-not-the-mean", other)
        self._check_padding()
        if plain != self.term * self.term:
            raise why_elements_differ(self.candidate, self.sum, plain, self.mask, self.renaming)
        bases = sorted({str(a.arguments[0]) for a in self.term.leaves() if a.tag == "load"})
        shown = f"both read the same elements of {', '.join(bases)}, under the same mask"
        self.checklist.prove("same-elements", shown)

    def _check_padding(self) -> None:
        """The lanes that the mask turns off must add nothing to the first sum."""
        claim, reason = "masked-lanes-add-nothing", "padding-lanes-count"
        if any(atom.tag == "undefined" for atom in self.term.leaves()):
            undefined = "masked-off lanes of a load without `other` are summed: they are undefined"
            raise refuted(claim, reason, undefined)
        self.mask = common_indicators(self.term)
        for indicators in map(_indicators, self.term.terms):
            # What is the same for all elements, a flag, may be asked of a part of them.
            if any(self._varies(indicator) for indicator in indicators - self.mask):
                added = "lanes that the mask turns off add something to the first sum"
                raise refuted(claim, reason, added)

    def _varies(self, atom: Atom) -> bool:
        """Whether it may differ from element to element of one sum."""
        lanes = self._lanes(self.sum.shape)
        return any(varies_along(atom, axis.axis) for axis in lanes) or any(
            varies_with(atom, loop) for loop in self.loops
        )

    def _check_centre(self) -> None:
        """The centre must be that sum over the number of elements that go into it."""
        claim, reason = "centre-is-the-mean", "centre-is-not-the-mean"
        share = self._share_of(self.sum, self.axes)
        assert share is not None
        self.count = self._count()
        total = self.count.total
        number = share.inverse() if len(share.terms) == 1 else None
        if number is None or not self._is_equal(_or_one(number), total):
            if not self.mask and any(a.tag == "cdiv" for a in total.leaves()):
                unmasked = (
                    f"the tiles are not masked, so {total.readable} elements are added; "
                    "if the last tile is always full, give --assume with the `%` that says so"
                )
                raise unknown(claim, "extent-unknown", unmasked)
            other = f"the sum of {total.readable} elements is multiplied by {share.readable}"
            raise refuted(claim, reason, other)
        self.number = number
        mean = f"the sum of {total.readable} elements over their number"
        self.checklist.prove(claim, mean, self.count.assumed)

    def _count(self) -> Count:
        """The elements that one sum is made of."""
        shape = self.sum.shape
        lanes = [Lanes(len(shape) - 1 - a, self.facts.forms.of(shape[a])) for a in self.axes]

        def varies(atom: Atom) -> bool:
            along = any(varies_along(atom, axis.axis) for axis in lanes)
            return along or any(varies_with(atom, loop) for loop in self.loops)

        varying = sorted((a for a in self.mask if varies(a)), key=str)
        try:
            return count_elements(self.facts, varying, self.loops, lanes)
        except NotCounted as error:
            raise unknown("centre-is-the-mean", "extent-unknown", str(error)) from error

    def _is_equal(self, number: Polynomial, total: Polynomial) -> bool:
        """Whether two counts are equal, if need be because every launch passes them equal."""
        if number == total:
            return True
        pairs = {
            mine: theirs
            for mine in number.atoms
            for theirs in total.atoms
            if mine.tag == theirs.tag == "param"
            and mine != theirs
            and self.facts.launches.equal(str(mine.arguments[0]), str(theirs.arguments[0]))
        }
        if number.map(pairs.get) != total.map(pairs.get):
            return False
        shown = ", ".join(f"{a.readable} == {b.readable}" for a, b in pairs.items())
        self.checklist.assume("no-other-launches", f"every launch in this file passes {shown}")
        return True

    def _check_polynomial(self, squares: Accumulation) -> None:
        """What is added must be the squared deviation where the mask is on, and 0 elsewhere."""
        mask = monomial_polynomial((a, 1) for a in self.mask)
        squared = squares.term.map(self.renaming.get)
        deviations = (
            self.term * self.term - self.term * self.mean * 2 + mask * self.mean * self.mean
        )
        rest = squared - deviations
        if not rest.is_zero:
            if not any(a.tag == "load" for m in rest.terms for a, _ in m):
                padding = "masked-off lanes add the square of the mean to the second sum"
                raise refuted("masked-lanes-add-nothing", "padding-lanes-count", padding)
            other = "the second sweep adds something other than squared deviations from the mean"
            raise refuted("squares-of-deviations", "not-a-square", other)
        self.checklist.prove("squares-of-deviations", "weight 1, and masked-off lanes add 0")

    def _check_rounding(self, squares: Accumulation) -> None:
        """Both sweeps must do the same arithmetic in the type of the data, which may be narrow."""
        claim, precision, forms = "same-rounding", self.facts.precision, self.facts.forms
        added = {forms.of(v) for v in precision.narrow_steps(self.sum.tile)}
        squared = {forms.of(v).map(self.renaming.get) for v in precision.narrow_steps(squares.tile)}
        if added != squared or (squares.axes and not precision.is_wide(squares.tile)):
            differ = "arithmetic in the type of the data, which may be of 16 bits, differs"
            raise unknown(claim, "rounded-differently", differ)
        self.checklist.prove(claim, "all arithmetic that differs is in 32 bits or more")

    def _share_of(self, accumulator: Accumulation, axes: tuple[int, ...]) -> Polynomial | None:
        return _share(self.facts.forms, self.mean, accumulator, axes)


def _reads_of_lanes(candidate: TwoSums, result: Value) -> list[ast.Name]:
    """Where the kernel reads what the second sweep left in the accumulator, lane by lane."""
    inside = set(walk(candidate.sweeps.second.node))
    around = {loop.identity for loop in candidate.sweeps.second.nest}

    def holds_lanes(value: Value) -> bool:
        if value.op in ("result", "carried"):
            return value.carrier.loop in around and value.carrier.name == candidate.name
        if value.op == "reduce" and summed_tile(value)[0] is result:
            return False
        return any(holds_lanes(operand) for operand in value.operands)

    names = [n for n in candidate.facts.values if isinstance(n, ast.Name) and n not in inside]
    reads = [n for n in names if isinstance(n.ctx, ast.Load)]
    return [node for node in reads if holds_lanes(candidate.facts.values[node])]


def _called(candidate: TwoSums, value: Value) -> str:
    """The kernel's name for a value."""
    names = (n for n, v in candidate.facts.values.items() if v is value and isinstance(n, ast.Name))
    name = next(names, None)
    return name.id if name is not None else f"of {candidate.name}"


def _check_accumulator(forms: Forms, accumulator: Accumulation) -> None:
    """It must start at 0 and be wide enough to hold a sum of squares."""
    name, dtype = accumulator.name, accumulator.initial.dtype
    if is_integer(dtype) or dtype == "int" or is_integer(accumulator.tile.dtype):
        integers = f"{name} adds up integers; only sums of floats are merged"
        raise refuted("data-is-float", "data-is-integer", integers)
    if not forms.of(accumulator.initial).is_zero:
        claim = "accumulators-start-at-zero"
        raise refuted(claim, "accumulator-starts-elsewhere", f"{name} starts at other than 0")
    if dtype != "float" and FLOAT_BITS.get(dtype or "", 0) < 32:
        shown = dtype or "of a type that the kernel does not show"
        raise refuted("accumulators-are-wide", "accumulator-is-narrow", f"{name} is {shown}")


def _share(
    forms: Forms, mean: Polynomial, accumulator: Accumulation, axes: tuple[int, ...]
) -> Polynomial | None:
    """The number by which an accumulator's full sum is multiplied to give the centre."""
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
    data = {"load", "total", "tile", "reduce", "call"}
    leaves = [leaf for leaf in share.leaves() if leaf.tag in data]
    # A length that was loaded is a number like another.
    return share if all(forms.is_integer(Polynomial.of(leaf)) for leaf in leaves) else None


def _or_one(number: Polynomial) -> Polynomial:
    """N of `tl.maximum(N, 1)`: of no elements the sum is 0, whatever it is divided by."""
    atom = number.sole_atom
    if atom is not None and atom.tag == "maximum" and ONE in atom.arguments[:2]:
        (other,) = [side for side in atom.arguments[:2] if side != ONE] or [ONE]
        assert isinstance(other, Polynomial)
        return other
    return number


def _indicators(monomial: Monomial) -> frozenset[Atom]:
    return frozenset(atom for atom, _ in monomial if atom.is_indicator)


def common_indicators(form: Polynomial) -> frozenset[Atom]:
    """The conditions without which a form is 0."""
    found = [_indicators(monomial) for monomial in form.terms]
    return frozenset.intersection(*found) if found else frozenset()


def _outside_totals(form: Polynomial) -> Iterator[Atom]:
    """The atoms of a form, inner ones included, but not what is inside a sum."""
    for atom in form.atoms:
        yield atom
        if atom.tag != "total":
            for argument in atom.arguments:
                if isinstance(argument, Polynomial):
                    yield from _outside_totals(argument)


def float_type(value: Value) -> str | None:
    """The type of an accumulator that starts as this value: a Python float is fp32."""
    return "fp32" if value.dtype == "float" else value.dtype


def mentions(value: Value, loop: Loop) -> bool:
    return any(v.op == "result" and v.carrier.loop == loop.identity for v in value.walk())
