"""Conditions as forms: 1 where a condition holds and 0 where it does not."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.polynomial import ONE, ZERO, Atom, Monomial, Polynomial, TooLarge
from tritonopt.facts.values import COMPARISONS, Value, is_float

if TYPE_CHECKING:
    from tritonopt.facts.algebra.forms import Forms


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
            case "const":
                return ONE if value.constant else ZERO
            case "and" | "or" | "xor" if not all(is_boolean(s) for s in sides):
                # Bits of integers: not a matter of one being true and the other.
                return _true(self._forms.of(value))
            case "and" | "both":
                return self.of(sides[0]) * self.of(sides[1])
            case "or" | "either":
                a, b = self.of(sides[0]), self.of(sides[1])
                return a + b - a * b
            case "xor":
                a, b = self.of(sides[0]), self.of(sides[1])
                return a + b - (a * b) * 2
            case "not":
                return ONE - self.of(sides[0])
            case "invert" if self._truth_values.is_complement(value):
                return ONE - self.of(sides[0])
            case "cast" | "in_branch" if is_boolean(sides[0]):
                return self.of(sides[0])
            case "is" | "is not" | "insert_axes" if is_boolean(value):
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
        if op in ("gt", "ge"):
            op, left, right = "lt" if op == "gt" else "le", right, left
        difference = left - right
        integer = not floats and self._forms.is_integer(difference)
        oriented = difference.constant_value is None and _first_coefficient(difference) > 0
        if op == "lt" and oriented and not floats:
            return negative(difference)
        if not integer:
            if op in ("eq", "ne"):
                left, right = sorted((left, right), key=lambda side: side.key)
            holds = Polynomial.of(Atom("holds", ("eq" if op == "ne" else op, left, right)))
            return ONE - holds if op == "ne" else holds
        if op == "lt":
            return negative(difference)
        if op == "le":
            return negative(difference - 1)
        equal = _zero(difference)
        return equal if op == "eq" else ONE - equal


def _true(form: Polynomial) -> Polynomial:
    return Polynomial.of(Atom("holds", ("true", form)))


def negative(form: Polynomial) -> Polynomial:
    """The indicator of `form < 0` for an integer form.

    `e < 0` and `-e - 1 >= 0` are one condition; the one with a positive first
    coefficient is the atom.
    """
    value = form.constant_value
    if value is not None:
        return ONE if value < 0 else ZERO
    if _first_coefficient(form) > 0:
        return Polynomial.of(Atom("negative", (form,)))
    return ONE - Polynomial.of(Atom("negative", (-form - 1,)))


def _zero(form: Polynomial) -> Polynomial:
    value = form.constant_value
    if value is not None:
        return ONE if value == 0 else ZERO
    return Polynomial.of(Atom("zero", (form if _first_coefficient(form) > 0 else -form,)))


def _first_coefficient(form: Polynomial) -> Fraction:
    """The coefficient that orients a condition: of a lane, else of a trip, else of the first term.

    So the mask of a tile is always one indicator, `lane + ... - limit < 0`,
    and never the complement of one.
    """

    def priority(monomial: Monomial) -> int:
        tags = {atom.tag for atom, _ in monomial}
        return 0 if "lane" in tags else 1 if tags & {"trip", "bound"} else 2

    ordered = [(m, c) for m, c in form.sorted_terms if m]
    return min(ordered, key=lambda term: priority(term[0]))[1]
