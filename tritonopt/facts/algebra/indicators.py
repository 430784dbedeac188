"""Conditions as forms: 1 where a condition holds and 0 where it does not."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    Bound,
    CeilDiv,
    Compared,
    FloorDiv,
    Iteration,
    Lane,
    Loaded,
    Maximum,
    Minimum,
    Mod,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
    Truth,
    Zero,
)
from tritonopt.facts.algebra.polynomial import ONE, ZERO, Atom, Monomial, Polynomial, TooLarge
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import Value, is_float

if TYPE_CHECKING:
    from tritonopt.facts.algebra.forms import Forms
    from tritonopt.facts.kernel_facts import KernelFacts


class Indicators:
    """Computes and remembers the forms of conditions."""

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._truth_values = forms.facts.truth_values
        self._known: dict[int, Polynomial] = {}

    def of(self, value: Value) -> Polynomial:
        """A form that is 1 where the condition holds and 0 where it does not."""
        known = self._known.get(value.serial)
        if known is None:
            try:
                known = self._compute(value)
            except TooLarge:
                known = _true(self._forms.unknown(value))
            self._known[value.serial] = known
        return known

    def _compute(self, value: Value) -> Polynomial:
        sides, is_boolean = value.operands, self._truth_values.is_boolean
        match value.op:
            case Op.CONST:
                return ONE if value.constant else ZERO
            case Op.AND | Op.OR | Op.XOR if not all(is_boolean(s) for s in sides):
                # Bits of integers: not a matter of one being true and the other.
                return _true(self._forms.of(value))
            case Op.AND | Op.BOTH:
                return self.of(sides[0]) * self.of(sides[1])
            case Op.OR | Op.EITHER:
                a, b = self.of(sides[0]), self.of(sides[1])
                return a + b - a * b
            case Op.XOR:
                a, b = self.of(sides[0]), self.of(sides[1])
                return a + b - (a * b) * 2
            case Op.NOT:
                return ONE - self.of(sides[0])
            case Op.INVERT if self._truth_values.is_complement(value):
                return ONE - self.of(sides[0])
            case Op.CAST | Op.IN_BRANCH if is_boolean(sides[0]):
                return self.of(sides[0])
            case Op.IS | Op.IS_NOT | Op.INSERT_AXES if is_boolean(value):
                return self._forms.of(value)
        if value.op in COMPARISONS:
            return self._comparison(value)
        form = self._forms.of(value)
        if form.constant_value is not None:
            return ONE if form.constant_value else ZERO
        if all(a.is_indicator for m in form.terms for a, _ in m) and form * form == form:
            return form
        return _true(form)

    def _comparison(self, value: Value) -> Polynomial:
        op, sides = value.op, value.operands
        floats = any(is_float(side.dtype) or side.dtype == "float" for side in sides)
        left, right = self._forms.of(sides[0]), self._forms.of(sides[1])
        if op in (Op.GT, Op.GE):
            op, left, right = Op.LT if op is Op.GT else Op.LE, right, left
        difference = left - right
        integer = not floats and self._forms.is_integer(difference)
        oriented = difference.constant_value is None and _first_coefficient(difference) > 0
        if op is Op.LT and oriented and not floats:
            return negative(difference)
        if not integer:
            if op in (Op.EQ, Op.NE):
                left, right = sorted((left, right), key=lambda side: side.key)
            holds = Polynomial.of(Compared((Op.EQ if op is Op.NE else op).value, left, right))
            return ONE - holds if op is Op.NE else holds
        if op is Op.LT:
            return negative(difference)
        if op is Op.LE:
            return negative(difference - 1)
        equal = zero(difference)
        return equal if op is Op.EQ else ONE - equal


def _true(form: Polynomial) -> Polynomial:
    return Polynomial.of(Truth(form))


def negative(form: Polynomial) -> Polynomial:
    """The indicator of `form < 0` for an integer form.

    `e < 0` and `-e - 1 >= 0` are one condition; the one with a positive first
    coefficient is the atom.
    """
    value = form.constant_value
    if value is not None:
        return ONE if value < 0 else ZERO
    if _first_coefficient(form) > 0:
        return Polynomial.of(Negative(form))
    return ONE - Polynomial.of(Negative(-form - 1))


def zero(form: Polynomial) -> Polynomial:
    """The indicator of `form == 0` for an integer form."""
    value = form.constant_value
    if value is not None:
        return ONE if value == 0 else ZERO
    return Polynomial.of(Zero(form if _first_coefficient(form) > 0 else -form))


def _first_coefficient(form: Polynomial) -> Fraction:
    """The coefficient that orients a condition: of a lane, else an iteration, else the first term.

    So the mask of a tile is always one indicator, `lane + ... - limit < 0`,
    and never the complement of one.
    """

    def priority(monomial: Monomial) -> int:
        if any(atom.is_lane for atom, _ in monomial):
            return 0
        return 1 if any(isinstance(atom, (Iteration, Bound)) for atom, _ in monomial) else 2

    ordered = [(m, c) for m, c in form.sorted_terms if m]
    return min(ordered, key=lambda term: priority(term[0]))[1]


NONNEGATIVE_ATOMS = (Lane, Iteration, ProgramId, NumPrograms, Bound)
_INTEGER_ATOMS = (*NONNEGATIVE_ATOMS, CeilDiv, FloorDiv)


class Signs:
    """Answers for the forms of one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self.integer_loads: set[Atom] = set()
        """Elements that are known to be integers, as they are used as such."""

    def is_integer(self, form: Polynomial, given: Collection[str] = ()) -> bool:
        """Whether every value of the form is an integer, as far as the kernel shows.

        The parameters of the names given are taken to be integers.
        """
        if any(c.denominator != 1 for c in form.terms.values()):
            return False
        return all(
            power > 0 and self._is_integer_atom(atom, given)
            for monomial in form.terms
            for atom, power in monomial
        )

    def _is_integer_atom(self, atom: Atom, given: Collection[str]) -> bool:
        if atom.is_indicator or isinstance(atom, _INTEGER_ATOMS):
            return True
        if isinstance(atom, (Minimum, Maximum, Mod)):
            return all(self.is_integer(form, given) for form in atom.inside)
        if isinstance(atom, Loaded):
            return atom in self.integer_loads
        known = self._facts.integers.parameters
        return isinstance(atom, Param) and (atom.name in known or atom.name in given)

    def is_nonnegative(self, form: Polynomial) -> bool:
        """Whether the form is shown to be 0 or more: a sum of what cannot be negative."""
        return all(
            coefficient > 0 and all(p > 0 and self._is_nonnegative_atom(a) for a, p in monomial)
            for monomial, coefficient in form.terms.items()
        )

    def is_positive(self, form: Polynomial) -> bool:
        return self.is_nonnegative(form) and any(
            all(isinstance(a, NumPrograms) or self._is_extent(a) for a, _ in monomial)
            for monomial in form.terms
        )

    def _is_nonnegative_atom(self, atom: Atom) -> bool:
        return isinstance(atom, NONNEGATIVE_ATOMS) or atom.is_indicator or self._is_extent(atom)

    def _is_extent(self, atom: Atom) -> bool:
        return isinstance(atom, Param) and atom.name in self._facts.extents
