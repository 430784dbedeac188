"""Whether a sweep for a maximum and a sweep for a sum of exponentials may become one.

In forms: the first loop takes the maximum of `tile`, the second one adds W * e ** exponent. With
the maximum m it must be that exponent == c * (tile - m) wherever W is 1, for a positive constant c,
and elsewhere the tile must be one number below inf.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.sweep_legality import check_accumulator, check_rounding, float_type
from tritonopt.emit.sweeps import comes_from
from tritonopt.emit.writing import is_plain
from tritonopt.facts import Atom, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import Loaded, Undef, ceiling_division
from tritonopt.facts.algebra.counting import Lanes, end_of_mask
from tritonopt.facts.algebra.polynomial import ONE, monomial_polynomial
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import ARITHMETIC, Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.reductions import (
    Accumulation,
    RunningMaximum,
    accumulation,
    full_sum,
    running_maximum,
)
from tritonopt.facts.values import is_integer
from tritonopt.passes.online_softmax.exponentials import (
    Exponential,
    Subtrahend,
    exponential,
    split_infinity,
    subtrahend,
)
from tritonopt.source.trees import walk

_COMPUTING = (ARITHMETIC - {Op.CAST, Op.POS}) | {Op.ELEMENTWISE, Op.MINIMUM, Op.MAXIMUM}


@dataclass(frozen=True)
class OnlineSum:
    """A sum of exponentials that the sweep for the maximum may keep, and what was shown of it."""

    facts: KernelFacts
    sweeps: TwoSweeps
    maximum: RunningMaximum
    sum: Accumulation
    exponential: Exponential
    subtrahend: Subtrahend
    mask: frozenset[Atom]
    """Indicators of the lanes that count, as the first loop has them."""
    filler: float | None
    """What the lanes hold that do not count; None where all count."""
    may_be_empty: bool
    """Whether the loops may have no iteration."""
    second_stays: bool
    """The second loop does more, so that it is the first one that goes."""

    steps: tuple[ast.stmt, ...]
    """Statements of the second loop that only carry the maximum into the sum."""

    @property
    def axes(self) -> tuple[int, ...]:
        """Axes of the tile along which the maximum is reduced, in its loop or after it."""
        return self.maximum.axes or self.subtrahend.axes

    @property
    def keeps_dims(self) -> bool:
        return self.maximum.keep_dims or self.subtrahend.keep_dims

    @property
    def is_summed(self) -> bool:
        """Whether the second loop sums its tiles one by one."""
        return bool(self.sum.axes)


def prove_online(sweeps: TwoSweeps, name: str, maximum: str, attempt: Attempt) -> OnlineSum:
    """Goes through the conditions in the order in which a reader would ask for them.

    `name` is the second loop's sum, `maximum` what the first one carries. Raises Declined at the
    first condition that does not hold, and TooLarge.
    """
    return _Legality(sweeps, name, maximum, attempt).check()


class _Legality:
    """One sum of a second sweep against one maximum of a first one, condition by condition."""

    def __init__(self, sweeps: TwoSweeps, name: str, maximum: str, attempt: Attempt) -> None:
        self.facts = sweeps.facts
        self.sweeps = sweeps
        self.attempt = attempt
        added = accumulation(self.facts, self.facts.forms, sweeps.second, name)
        assert added is not None
        self.sum = added
        self.maximum = maximum

    def check(self) -> OnlineSum:
        sweeps, attempt, facts = self.sweeps, self.attempt, self.facts
        if any(not loop.is_counted for loop in (sweeps.first, sweeps.second)):
            other = "a loop is not over range or tl.range"
            raise unknown("loops-are-plain", "loop-is-not-plain", other)
        maximum = running_maximum(facts, sweeps.first, self.maximum)
        start = "-inf" if maximum.starts_at_infinity else f"{maximum.start:g}"
        attempt.prove(
            "exponents-are-below-the-maximum", f"{maximum.name} is the largest, from {start} on"
        )
        sweeps.check_path(attempt)
        renaming = sweeps.check_ranges(attempt, [sweeps.first], self.sum.loops, lambda loop: None)
        check_accumulator(facts.forms, self.sum)
        if float_type(self.sum.initial) != maximum.dtype or is_integer(maximum.tile.dtype):
            types = f"{self.sum.name} and {maximum.name} are of different types"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", types)
        attempt.prove("accumulators-are-wide", f"both are {maximum.dtype}, and the sum starts at 0")
        one = exponential(facts, self.sum, sweeps.first)
        below = subtrahend(facts, one, maximum.result)
        elements = _Elements(facts, sweeps, maximum, self.sum, one, below, renaming)
        filler = elements.check(attempt)
        elements.check_axes(attempt)
        check_rounding(attempt, facts, maximum.tile, one.argument, renaming)
        elements.check_infinite_rows(attempt)
        sweeps.check_memory(attempt)
        second_stays = self._check_rest(maximum, below)
        check_pins(attempt, facts)
        overflow = "offsets fit int32, as in the original"
        attempt.assume("no-int32-overflow", overflow)
        return OnlineSum(
            facts,
            sweeps,
            maximum,
            self.sum,
            one,
            below,
            elements.mask,
            filler,
            self._may_be_empty(),
            second_stays,
            tuple(self._steps(maximum.name)) if second_stays else (),
        )

    def _check_rest(self, maximum: RunningMaximum, below: Subtrahend) -> bool:
        """One of the two sweeps may do nothing else, for that one goes. Whether it is the first."""
        sweeps = self.sweeps
        try:
            sweeps.check_rest(self.attempt, self.sum.name)
        except Declined:
            alone = sweeps.first_only_keeps(maximum.name) and not below.axes
            if not alone or not self._is_read_nowhere_else(maximum.name):
                raise
            kept = f"only {maximum.name} of it is used, in the sum and after it"
            self.attempt.prove("nothing-else-is-lost", kept)
            return True
        return False

    def _steps(self, maximum: str) -> list[ast.stmt]:
        update = self.sum.update
        assert update is not None
        return _steps_to(self.facts, self.sweeps.second, update, maximum)

    def _is_read_nowhere_else(self, maximum: str) -> bool:
        """Whether, up to the end of the second loop, only its sum uses the maximum and itself."""
        first, second = self.sweeps.first.node, self.sweeps.second.node
        update, body = self.sum.update, set(walk(second))
        if not isinstance(update, (ast.Assign, ast.AugAssign)) or not is_plain(self.facts, update):
            return False
        steps = self._steps(maximum)
        kept = {n for statement in (first, update, *steps) for n in walk(statement)}
        assert second.end_lineno is not None
        return not any(
            isinstance(node, ast.Name)
            and node not in kept
            and (
                (node.id == self.sum.name and node in body)
                or (node.id == maximum and first.lineno <= node.lineno <= second.end_lineno)
            )
            for node in self.facts.kernel.nodes
        )

    def _may_be_empty(self) -> bool:
        count = self.facts.forms.trip_count(self.sweeps.first)
        return count is None or not self.facts.forms.is_positive(count)


def _steps_to(facts: KernelFacts, sweep: Loop, update: ast.stmt, maximum: str) -> list[ast.stmt]:
    """The statements of a sweep that use a maximum for a name of their own, which only the update
    reads: `p = tl.exp(x - m)`.
    """
    found: list[ast.stmt] = []
    reading, names = set(walk(update)), {maximum}
    for statement in sweep.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if is_plain(facts, statement):
                nodes = set(walk(statement))
                own = name not in sweep.carried and statement is not update
                if own and any(isinstance(n, ast.Name) and n.id in names for n in nodes):
                    found.append(statement)
                    reading |= nodes
                    names.add(name)
    # Whoever else reads one of these names, reads the maximum: none of them is such a step.
    others = (n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n not in reading)
    return [] if any(n.id in names - {maximum} for n in others) else found


@dataclass(frozen=True)
class _Elements:
    """What the maximum is of, against what is exponentiated."""

    facts: KernelFacts
    sweeps: TwoSweeps
    maximum: RunningMaximum
    sum: Accumulation
    exponential: Exponential
    subtrahend: Subtrahend
    renaming: dict[Atom, Atom]

    @cached_property
    def tile(self) -> Polynomial:
        return self.facts.forms.of(self.maximum.tile)

    @cached_property
    def mask(self) -> frozenset[Atom]:
        """Indicators of the lanes that count."""
        mask = self.exponential.mask | self.subtrahend.mask
        return frozenset(atom.map(self.renaming.get) for atom in mask)

    @cached_property
    def weight(self) -> Polynomial:
        """1 in the lanes that count."""
        return monomial_polynomial((a, 1) for a in self.mask)

    def check(self, attempt: Attempt) -> float | None:
        """The exponents must be of the elements that the maximum is of.

        Returns what is in the lanes that do not count; None where all do.
        """
        forms, weight = self.facts.forms, self.weight
        if any(isinstance(leaf, Undef) for leaf in self.tile.leaves()):
            undefined = (
                "the maximum includes inactive lanes of a load without `other`, which are undefined"
            )
            raise refuted("exponents-are-below-the-maximum", "masked-off-lanes-count", undefined)
        below, factor = forms.of(self.subtrahend.value), self.subtrahend.factor
        plain = (self.exponential.exponent + weight * below * factor).map(self.renaming.get)
        ours, theirs = split_infinity(weight * self.tile), split_infinity(weight * plain)
        alike = theirs[0] == ours[0] * factor and theirs[1] in (ours[1], ours[1] * factor)
        if not alike:
            if self._differs_in_time_only():
                raise self.sweeps.change_of_data()
            name = self.maximum.name
            other = f"the exponential is not of x - {name}, with {name} the maximum of the same x"
            raise refuted("exponents-are-below-the-maximum", "different-elements", other)
        if self._loads(self.maximum.tile) != self._loads(self.exponential.argument):
            more = "one loop reads elements that the other one does not read"
            raise refuted("same-elements", "different-elements", more)
        if not self._computes_alike():
            other = "the elements are computed differently, and may be NaN in one loop only"
            raise unknown("exponents-are-below-the-maximum", "different-elements", other)
        bases = sorted({a.base for a in self.tile.leaves() if isinstance(a, Loaded)})
        filler = self._filler() if weight != ONE else None
        attempt.prove("same-elements", f"both are of the same elements of {', '.join(bases)}")
        times = "" if factor == 1 else f", times {float(factor):g}"
        shown = f"each is an element less {self.maximum.name}{times}"
        attempt.prove("exponents-are-below-the-maximum", shown)
        return filler

    def _filler(self) -> float:
        """The number that the maximum is of where the mask is off."""
        finite, infinite = split_infinity(self.tile - self.weight * self.tile)
        off = ONE - self.weight
        scale = infinite.terms.get((), Fraction(0))
        if finite.is_zero and scale > 0 and infinite == off * scale:
            return -math.inf
        number = finite.terms.get((), Fraction(0))
        if not infinite.is_zero or finite != off * number:
            text = "the maximum includes lanes that are not summed, and it is not known"
            raise unknown("exponents-are-below-the-maximum", "masked-off-lanes-count", text)
        return float(number)

    def _loads(self, value: Value) -> set[Polynomial]:
        """What is loaded for a value, whether or not it matters in real numbers."""
        loads = (part for part in value.walk() if part.op is Op.LOAD)
        return {self.facts.forms.of(load).map(self.renaming.get) for load in loads}

    def _computes_alike(self) -> bool:
        """Whether both come from the elements by the same steps: of inf, x + x - x is NaN."""
        factor = self.subtrahend.factor
        tile = set(self._steps(self.maximum.tile))
        exponent = {step.map(self.renaming.get) for step in self._steps(self.exponential.argument)}
        scaled = {step * factor for step in (*tile, self.tile)}
        return tile <= exponent and exponent - tile <= scaled

    def _steps(self, value: Value) -> Iterator[Polynomial]:
        """What is computed of the elements on the way to a value, before the maximum comes in."""
        todo, seen = [value], {value}
        for part in todo:  # it grows meanwhile
            is_step = part.op in _COMPUTING and any(v.op is Op.LOAD for v in part.walk())
            if is_step and not comes_from(part, self.sweeps.first):
                yield self.facts.forms.of(part)
            if part.op is not Op.LOAD:
                more = [operand for operand in part.operands if operand not in seen]
                seen.update(more)
                todo += more

    def _differs_in_time_only(self) -> bool:
        """Whether both sweeps read the same addresses, but a store may lie between."""
        forms = self.facts.forms_ignoring_memory
        exponent, tile = forms.of(self.exponential.argument), forms.of(self.maximum.tile)
        factor = self.subtrahend.factor
        plain = (exponent + forms.of(self.subtrahend.value) * factor).map(self.renaming.get)
        return plain != self.exponential.exponent and plain == tile * factor

    def check_axes(self, attempt: Attempt) -> None:
        """The sum must be kept for each maximum, or in more lanes than that."""
        claim, reason = "same-range", "other-axes"
        maximum, added, below = self.maximum, self.sum, self.subtrahend
        forms = self.facts.forms
        if maximum.axes and below.axes:
            twice = f"{maximum.name} is reduced in its loop, and again after it"
            raise refuted(claim, reason, twice)
        shape, rank = below.value.shape, len(maximum.shape)
        axes = maximum.axes or below.axes
        tiles = [forms.of(e) for e in maximum.shape]
        if shape is None or len(shape) > rank or [forms.of(e) for e in added.shape] != tiles:
            raise refuted(claim, reason, "the maximum and the exponents have different shapes")
        extents = [ONE] * (rank - len(shape)) + [forms.of(e) for e in shape]
        if extents != [ONE if axis in axes else tiles[axis] for axis in range(rank)]:
            text = f"{maximum.name} is along other axes than those along which it is subtracted"
            raise refuted(claim, reason, text)
        keeps = below.axes or added.keep_dims == maximum.keep_dims
        if added.axes and (added.axes != axes or not keeps):
            text = f"{added.name} is summed along other axes than {maximum.name} is taken"
            raise refuted(claim, reason, text)
        if added.scale != ONE:
            scaled = f"{added.name} adds sums multiplied by a factor"
            raise refuted("exponents-are-below-the-maximum", "not-an-exponential", scaled)
        if maximum.axes and not added.axes and full_sum(self.sweeps, added).axes != axes:
            # Where the maximum is inf, only lanes that have inf themselves were NaN.
            other = f"{added.name} is summed along other axes than {maximum.name} is taken"
            raise refuted("nothing-else-is-lost", "accumulator-is-read", other)
        attempt.prove(claim, "the maximum is taken along the axes that are summed")

    def check_infinite_rows(self, attempt: Attempt) -> None:
        """A row of nothing but -inf must give the NaN that it gave, or the 0."""
        claim = "infinite-rows-are-the-same"
        if not self.maximum.starts_at_infinity:
            attempt.prove(claim, f"{self.maximum.name} is never -inf")
            return
        if self.weight != ONE and not self._counts_in_every_sweep():
            text = (
                "a row without active lanes has the sum 0, and a row of only -inf has NaN; "
                "after the loop the two cannot be distinguished"
            )
            raise unknown(claim, "masked-off-lanes-count", text)
        attempt.prove(claim, "if all of a row is -inf, the sum is set to NaN, as before")

    def _counts_in_every_sweep(self) -> bool:
        """Whether a lane counts as soon as there is an iteration."""
        forms, shape = self.facts.forms, self.maximum.shape
        lanes = [Lanes(len(shape) - 1 - i, forms.of(e)) for i, e in enumerate(shape)]
        end = end_of_mask(self.facts, self.mask, self.sweeps.first, lanes)
        count = forms.trip_count(self.sweeps.first)
        return len(self.mask) == 1 and end is not None and count == ceiling_division(*end)
