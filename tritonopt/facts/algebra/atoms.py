"""The atoms that forms are made of: what a kernel is given, and what is no ring operation.

What is not understood is an atom of its own, equal only to itself.

AXES of an atom are the axes, counted from the right, that its own lanes lie along, or the bound
atoms of the sums over them; "unknown" where nobody can tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from tritonopt.facts.algebra.polynomial import (
    ONE,
    ZERO,
    Argument,
    Atom,
    Monomial,
    Polynomial,
    as_factor,
)

Axes: TypeAlias = "tuple[Argument, ...] | str"

_ORDERS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


# What is given


class Named(Atom):
    """What a name stands for."""

    name: str

    def _written(self) -> str:
        return self.name


class Param(Named, tag="param"):
    """A parameter of the kernel."""


class Global(Named, tag="global"):
    """A name of the module that is not known to be a constant."""


class DType(Named, tag="dtype"):
    """An element type."""


class Constant(Named, tag="constant"):
    """A constant that is no finite number."""


class ProgramId(Atom, tag="program_id", is_position=True):
    axis: Polynomial


class NumPrograms(Atom, tag="num_programs"):
    axis: Polynomial


class Lane(Atom, tag="lane", is_lane=True, is_position=True):
    """The numbers from 0 to the extent along an axis, counted from the right."""

    extent: Polynomial
    axis: int

    def _written(self) -> str:
        after = ", ".join([":", *["None"] * self.axis])
        return f"arange(0, {self.extent.readable})" + (f"[{after}]" if self.axis else "")


class Iteration(Atom, tag="iteration", is_position=True):
    """A loop's canonical induction variable: 0, 1, 2, ...; None stands for any loop."""

    loop: int | None = None

    def _written(self) -> str:
        return f"iteration{self.loop}"


class Loaded(Atom, tag="load"):
    """The element at an address, at a time: the version of the memory."""

    base: str
    offset: Polynomial
    version: Argument

    def _written(self) -> str:
        return f"{self.base or '?'}[{self.offset.readable}]"


# Conditions


class Negative(Atom, tag="negative", is_indicator=True):
    """Where an integer is below 0."""

    form: Polynomial

    def _written(self) -> str:
        return _comparison(self.form, "<")


class Zero(Atom, tag="zero", is_indicator=True):
    """Where an integer is 0."""

    form: Polynomial

    def _written(self) -> str:
        return _comparison(self.form, "==")


class Compared(Atom, tag="holds", is_indicator=True):
    """Where a comparison of what need not be integers holds."""

    order: str
    left: Polynomial
    right: Polynomial

    def _written(self) -> str:
        if self.order not in _ORDERS:
            return super()._written()
        return f"({self.left.readable} {_ORDERS[self.order]} {self.right.readable})"


class Truth(Atom, tag="holds", is_indicator=True):
    """Where something is true, which is all that is known of it."""

    form: Polynomial


# Whole numbers


class Quotient(Atom):
    """A division of integers, rounded, or what it leaves."""

    dividend: Polynomial
    divisor: Polynomial


class CeilDiv(Quotient, tag="cdiv"):
    """The least integer that is not below dividend / divisor."""


class FloorDiv(Quotient, tag="floordiv", is_quotient=True):
    """`dividend // divisor` as Triton divides integers; see `BindingTimes` for the rounding."""

    rounding: str

    def _written(self) -> str:
        return f"{as_factor(self.dividend)}//{as_factor(self.divisor)}"


class Mod(Quotient, tag="mod", is_quotient=True):
    """`dividend % divisor`, rounded alike."""

    rounding: str

    def _written(self) -> str:
        return f"{as_factor(self.dividend)} % {as_factor(self.divisor)}"


class Extremum(Atom):
    """The less or the greater of two; a launcher's has no options."""

    left: Polynomial
    right: Polynomial
    options: str | None = None

    def _written(self) -> str:
        fields = [self.left.readable, self.right.readable]
        fields += [] if self.options is None else [self.options]
        return f"{self.tag}({', '.join(fields)})"


class Minimum(Extremum, tag="minimum"):
    pass


class Maximum(Extremum, tag="maximum"):
    pass


class PowerOfTwo(Atom, tag="power_of_two"):
    """The least power of two that is not below the form."""

    form: Polynomial


# Sums and functions


class Bound(Atom, is_position=True):
    """A lane or an iteration that a sum goes over."""

    def _written(self) -> str:
        return "lane"


class BoundLane(Bound, tag="bound lane"):
    """A lane that a sum goes over; the number tells it from others."""

    extent: Polynomial
    number: int


class BoundIteration(Bound, tag="bound iteration"):
    """An iteration that a sum goes over."""

    loop: int

    def _written(self) -> str:
        return f"iteration{self.loop}"


class HiddenLane(Bound, tag="hidden lane"):
    """A lane of an operand, where it is none of the result's own."""

    extent: Polynomial
    axis: int


class Total(Atom, tag="total"):
    """A sum of a term over (bound atom, extent) dimensions."""

    dimensions: tuple[Argument, ...]
    term: Polynomial

    def _written(self) -> str:
        return f"sum({self.term.readable})"


class Reduced(Atom, tag="reduce"):
    """A reduction over lanes that is no sum."""

    name: str
    lane: BoundLane
    extent: Polynomial
    term: Polynomial


class Rounded(Atom, tag="round"):
    """A number rounded to a narrower floating-point type."""

    dtype: str
    form: Polynomial


class Converted(Atom, tag="cast"):
    """A number converted to a type that may change it."""

    dtype: Argument
    form: Polynomial


class Function(Atom):
    """What is computed from operands alone."""

    name: str
    operands: tuple[Argument, ...]

    def __post_init__(self) -> None:
        self._keep((self.name, *self.operands))

    def with_arguments(self, arguments: Sequence[Argument]) -> Atom:
        name, *operands = arguments
        assert isinstance(name, str)
        return type(self)(name, tuple(operands))


class Math(Function, tag="math"):
    """A function that is applied lane by lane."""


class Call(Function, tag="call"):
    """What uses its operands in another order of lanes; named by its operation."""


class Attribute(Function, tag="attribute"):
    pass


# What is not understood


class Placed(Atom):
    """What knows its axes, and the iterations that it may differ between."""

    identity: Argument
    axes: Axes
    depends: tuple[Argument, ...]


class Opaque(Placed, tag="opaque"):
    """What is equal only to itself."""

    def _written(self) -> str:
        match self.identity:
            case ("carried" | "result", _, name):
                return f"{name}?"
        return "?"


class Undef(Placed, tag="undef"):
    """A masked-off lane of a load without `other`."""

    def _written(self) -> str:
        return "undefined"


class TileNumber(Atom, tag="tile_number"):
    """What a kernel calls the number of its tile, however it is computed."""

    name: str


# What a launcher gives


class LauncherParameter(Atom, tag="host parameter"):
    """A parameter of the launcher."""

    name: str


class Chosen(Atom, tag="host chosen"):
    """What the tuner chooses, or the caller, in a way that is not seen."""

    name: str


class Unread(Atom, tag="host unread"):
    """An expression of the launcher whose value cannot be followed."""

    place: Argument
    what: str


class Flag(Atom, tag="host flag", is_indicator=True):
    """Whether something holds that is about no size: a type, a device, an argument left out."""

    place: Argument
    what: str


class SameShape(Atom, tag="same shape", is_indicator=True):
    """Whether two tensors have the same sizes."""

    tensor: Polynomial
    other: Polynomial


class TensorSize(Atom, tag="size"):
    """`tensor.size(which)`, its strides, its number of elements or of dimensions (`dim`)."""

    tensor: Polynomial
    method: str
    which: tuple[int, ...]


class Choice(Atom, tag="choice"):
    """`then if test else other` of the launcher."""

    test: Polynomial
    then: Polynomial
    other: Polynomial


def _comparison(form: Polynomial, order: str) -> str:
    """`form < 0` or `form == 0` with what is taken off on the other side: `cols < N`."""
    more = Polynomial({m: c for m, c in form.terms.items() if c > 0 and m})
    less = Polynomial({m: -c for m, c in form.terms.items() if c < 0 and m})
    rest = form.terms.get((), Fraction(0))
    if order == "<" and rest == -1:
        order, rest = "<=", Fraction(0)  # of integers
    if not more.is_zero and not less.is_zero:
        less -= rest
    elif less.is_zero:
        less = Polynomial.constant(-rest)
    else:
        more = Polynomial.constant(rest)
    turned = order != "==" and any(a.is_lane for a in less.atoms)
    if turned and not any(a.is_lane for a in more.atoms):
        return f"({less.readable} {order.replace('<', '>')} {more.readable})"
    return f"({more.readable} {order} {less.readable})"


def ceiling_division(dividend: Polynomial, divisor: Polynomial) -> Polynomial:
    """The least integer that is not below dividend / divisor, for integers."""
    whole, rest = _split_multiples(dividend, divisor)
    if rest.is_zero:
        return whole
    a, b = rest.constant_value, divisor.constant_value
    if a is not None and b:
        return whole + math.ceil(a / b)
    return whole + Polynomial.of(CeilDiv(rest, divisor))


def _split_multiples(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(q, r) with dividend == q * divisor + r, taking whole terms only."""
    if divisor in (ONE, -ONE):
        return dividend * divisor, ZERO
    if len(divisor.terms) != 1 or divisor.constant_value is not None:
        return ZERO, dividend
    ((theirs, coefficient),) = divisor.terms.items()
    whole: dict[Monomial, Fraction] = {}
    rest: dict[Monomial, Fraction] = {}
    for monomial, mine in dividend.terms.items():
        powers = dict(monomial)
        ratio = mine / coefficient
        if ratio.denominator == 1 and all(powers.get(a, 0) >= p for a, p in theirs):
            for atom, power in theirs:
                powers[atom] -= power
            left = tuple((a, p) for a, p in sorted(powers.items(), key=lambda i: i[0].key) if p)
            whole[left] = ratio
        else:
            rest[monomial] = mine
    return Polynomial(whole), Polynomial(rest)
