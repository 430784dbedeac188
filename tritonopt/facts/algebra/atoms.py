"""The atoms that forms are made of: what a kernel is given, and what is no ring operation.

What is not understood is an atom of its own, equal only to itself.

AXES of an atom are the axes, counted from the right, that its own lanes lie along, or the bound
atoms of the sums over them; "unknown" where nobody can tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

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


@dataclass(frozen=True, eq=False, repr=False)
class Named(Atom):
    """What a name stands for."""

    name: str

    def _written(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Param(Named):
    """A parameter of the kernel."""

    tag: ClassVar[str] = "param"


@dataclass(frozen=True, eq=False, repr=False)
class Global(Named):
    """A name of the module that is not known to be a constant."""

    tag: ClassVar[str] = "global"


@dataclass(frozen=True, eq=False, repr=False)
class DType(Named):
    """An element type."""

    tag: ClassVar[str] = "dtype"


@dataclass(frozen=True, eq=False, repr=False)
class Constant(Named):
    """A constant that is no finite number."""

    tag: ClassVar[str] = "constant"


@dataclass(frozen=True, eq=False, repr=False)
class ProgramId(Atom):
    tag: ClassVar[str] = "program_id"
    is_position: ClassVar[bool] = True
    axis: Polynomial


@dataclass(frozen=True, eq=False, repr=False)
class NumPrograms(Atom):
    tag: ClassVar[str] = "num_programs"
    axis: Polynomial


@dataclass(frozen=True, eq=False, repr=False)
class Lane(Atom):
    """The numbers from 0 to the extent along an axis, counted from the right."""

    tag: ClassVar[str] = "lane"
    is_lane: ClassVar[bool] = True
    is_position: ClassVar[bool] = True
    extent: Polynomial
    axis: int

    def _written(self) -> str:
        after = ", ".join([":", *["None"] * self.axis])
        return f"arange(0, {self.extent.readable})" + (f"[{after}]" if self.axis else "")


@dataclass(frozen=True, eq=False, repr=False)
class Iteration(Atom):
    """A loop's canonical induction variable: 0, 1, 2, ...; None stands for any loop."""

    tag: ClassVar[str] = "iteration"
    is_position: ClassVar[bool] = True
    loop: int | None = None

    def _written(self) -> str:
        return f"iteration{self.loop}"


@dataclass(frozen=True, eq=False, repr=False)
class Loaded(Atom):
    """The element at an address, at a time: the version of the memory."""

    tag: ClassVar[str] = "load"
    base: str
    offset: Polynomial
    version: Argument

    def _written(self) -> str:
        return f"{self.base or '?'}[{self.offset.readable}]"


# Conditions


@dataclass(frozen=True, eq=False, repr=False)
class Negative(Atom):
    """Where an integer is below 0."""

    tag: ClassVar[str] = "negative"
    is_indicator: ClassVar[bool] = True
    form: Polynomial

    def _written(self) -> str:
        return _comparison(self.form, "<")


@dataclass(frozen=True, eq=False, repr=False)
class Zero(Atom):
    """Where an integer is 0."""

    tag: ClassVar[str] = "zero"
    is_indicator: ClassVar[bool] = True
    form: Polynomial

    def _written(self) -> str:
        return _comparison(self.form, "==")


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Atom):
    """Where a comparison of what need not be integers holds."""

    tag: ClassVar[str] = "holds"
    is_indicator: ClassVar[bool] = True
    order: str
    left: Polynomial
    right: Polynomial

    def _written(self) -> str:
        if self.order not in _ORDERS:
            return super()._written()
        return f"({self.left.readable} {_ORDERS[self.order]} {self.right.readable})"


@dataclass(frozen=True, eq=False, repr=False)
class Truth(Atom):
    """Where something is true, which is all that is known of it."""

    tag: ClassVar[str] = "holds"
    is_indicator: ClassVar[bool] = True
    form: Polynomial


# Whole numbers


@dataclass(frozen=True, eq=False, repr=False)
class Quotient(Atom):
    """A division of integers, rounded, or what it leaves."""

    dividend: Polynomial
    divisor: Polynomial


@dataclass(frozen=True, eq=False, repr=False)
class CeilDiv(Quotient):
    """The least integer that is not below dividend / divisor."""

    tag: ClassVar[str] = "cdiv"


@dataclass(frozen=True, eq=False, repr=False)
class FloorDiv(Quotient):
    """`dividend // divisor` as Triton divides integers; see `BindingTimes` for the rounding."""

    tag: ClassVar[str] = "floordiv"
    is_quotient: ClassVar[bool] = True
    rounding: str

    def _written(self) -> str:
        return f"{as_factor(self.dividend)}//{as_factor(self.divisor)}"


@dataclass(frozen=True, eq=False, repr=False)
class Mod(Quotient):
    """`dividend % divisor`, rounded alike."""

    tag: ClassVar[str] = "mod"
    is_quotient: ClassVar[bool] = True
    rounding: str

    def _written(self) -> str:
        return f"{as_factor(self.dividend)} % {as_factor(self.divisor)}"


@dataclass(frozen=True, eq=False, repr=False)
class Extremum(Atom):
    """The less or the greater of two; a launcher's has no options."""

    left: Polynomial
    right: Polynomial
    options: str | None = None

    def _written(self) -> str:
        fields = [self.left.readable, self.right.readable]
        fields += [] if self.options is None else [self.options]
        return f"{self.tag}({', '.join(fields)})"


@dataclass(frozen=True, eq=False, repr=False)
class Minimum(Extremum):
    tag: ClassVar[str] = "minimum"


@dataclass(frozen=True, eq=False, repr=False)
class Maximum(Extremum):
    tag: ClassVar[str] = "maximum"


@dataclass(frozen=True, eq=False, repr=False)
class PowerOfTwo(Atom):
    """The least power of two that is not below the form."""

    tag: ClassVar[str] = "power_of_two"
    form: Polynomial


# Sums and functions


@dataclass(frozen=True, eq=False, repr=False)
class Bound(Atom):
    """A lane or an iteration that a sum goes over."""

    is_position: ClassVar[bool] = True

    def _written(self) -> str:
        return "lane"


@dataclass(frozen=True, eq=False, repr=False)
class BoundLane(Bound):
    """A lane that a sum goes over; the number tells it from others."""

    tag: ClassVar[str] = "bound lane"
    extent: Polynomial
    number: int


@dataclass(frozen=True, eq=False, repr=False)
class BoundIteration(Bound):
    """An iteration that a sum goes over."""

    tag: ClassVar[str] = "bound iteration"
    loop: int

    def _written(self) -> str:
        return f"iteration{self.loop}"


@dataclass(frozen=True, eq=False, repr=False)
class HiddenLane(Bound):
    """A lane of an operand, where it is none of the result's own."""

    tag: ClassVar[str] = "hidden lane"
    extent: Polynomial
    axis: int


@dataclass(frozen=True, eq=False, repr=False)
class Total(Atom):
    """A sum of a term over (bound atom, extent) dimensions."""

    tag: ClassVar[str] = "total"
    dimensions: tuple[Argument, ...]
    term: Polynomial

    def _written(self) -> str:
        return f"sum({self.term.readable})"


@dataclass(frozen=True, eq=False, repr=False)
class Reduced(Atom):
    """A reduction over lanes that is no sum."""

    tag: ClassVar[str] = "reduce"
    name: str
    lane: BoundLane
    extent: Polynomial
    term: Polynomial


@dataclass(frozen=True, eq=False, repr=False)
class Rounded(Atom):
    """A number rounded to a narrower floating-point type."""

    tag: ClassVar[str] = "round"
    dtype: str
    form: Polynomial


@dataclass(frozen=True, eq=False, repr=False)
class Converted(Atom):
    """A number converted to a type that may change it."""

    tag: ClassVar[str] = "cast"
    dtype: Argument
    form: Polynomial


@dataclass(frozen=True, eq=False, repr=False)
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


@dataclass(frozen=True, eq=False, repr=False)
class Math(Function):
    """A function that is applied lane by lane."""

    tag: ClassVar[str] = "math"


@dataclass(frozen=True, eq=False, repr=False)
class Call(Function):
    """What uses its operands in another order of lanes; named by its operation."""

    tag: ClassVar[str] = "call"


@dataclass(frozen=True, eq=False, repr=False)
class Attribute(Function):
    tag: ClassVar[str] = "attribute"


# What is not understood


@dataclass(frozen=True, eq=False, repr=False)
class Placed(Atom):
    """What knows its axes, and the iterations that it may differ between."""

    identity: Argument
    axes: Axes
    depends: tuple[Argument, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Opaque(Placed):
    """What is equal only to itself."""

    tag: ClassVar[str] = "opaque"

    def _written(self) -> str:
        match self.identity:
            case ("carried" | "result", _, name):
                return f"{name}?"
        return "?"


@dataclass(frozen=True, eq=False, repr=False)
class Undef(Placed):
    """A masked-off lane of a load without `other`."""

    tag: ClassVar[str] = "undef"

    def _written(self) -> str:
        return "undefined"


@dataclass(frozen=True, eq=False, repr=False)
class TileNumber(Atom):
    """What a kernel calls the number of its tile, however it is computed."""

    tag: ClassVar[str] = "tile_number"
    name: str


# What a launcher gives


@dataclass(frozen=True, eq=False, repr=False)
class LauncherParameter(Atom):
    """A parameter of the launcher."""

    tag: ClassVar[str] = "host parameter"
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Chosen(Atom):
    """What the tuner chooses, or the caller, in a way that is not seen."""

    tag: ClassVar[str] = "host chosen"
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Unread(Atom):
    """An expression of the launcher whose value cannot be followed."""

    tag: ClassVar[str] = "host unread"
    place: Argument
    what: str


@dataclass(frozen=True, eq=False, repr=False)
class Flag(Atom):
    """Whether something holds that is about no size: a type, a device, an argument left out."""

    tag: ClassVar[str] = "host flag"
    is_indicator: ClassVar[bool] = True
    place: Argument
    what: str


@dataclass(frozen=True, eq=False, repr=False)
class SameShape(Atom):
    """Whether two tensors have the same sizes."""

    tag: ClassVar[str] = "same shape"
    is_indicator: ClassVar[bool] = True
    tensor: Polynomial
    other: Polynomial


@dataclass(frozen=True, eq=False, repr=False)
class TensorSize(Atom):
    """`tensor.size(which)`, its strides, its number of elements or of dimensions (`dim`)."""

    tag: ClassVar[str] = "size"
    tensor: Polynomial
    method: str
    which: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Atom):
    """`then if test else other` of the launcher."""

    tag: ClassVar[str] = "choice"
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
