"""Polynomials with rational coefficients over atoms: the normal form of the facts.

An atom is a canonical name for something that is not a sum or a product: a
parameter, a program id, the lane of a tile, the iteration of a loop, the element at
an address, an indicator (1 where a comparison holds, 0 elsewhere). Two
expressions that are equal by the laws of a commutative ring, in whatever way
they were written, have the same polynomial.

Indicators are idempotent: `m * m` is `m`. That makes masks algebra:
`where(m, a, b)` is `m*a + (1 - m)*b`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Union

from tritonopt.checks.condition import Condition, Status, Unmet

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda cls: cls


Argument = Union["Atom", "Polynomial", str, int, bool, None, tuple["Argument", ...]]

MAX_TERMS = 256
MAX_SIZE = 4000
"""Terms, and atoms with all that is inside them. Beyond either a form is of no use to anybody."""


# How much work goes into what is asked of one kernel: it grows with the square of the loads and
# stores, and faster where the forms of the indices grow too. It is counted in forms that are
# computed, so that it ends everywhere alike: a clock would stop elsewhere on another machine.


class TooMuchWork(Exception):
    """More was asked than is worth waiting for."""


class _Meter(threading.local):
    """The forms that may still be computed, in each thread by itself."""

    left: float = float("inf")


_METER = _Meter()


@contextmanager
def at_most(forms: int) -> Iterator[None]:
    """Inside, so many forms can be computed; one more raises TooMuchWork."""
    before, _METER.left = _METER.left, forms
    try:
        yield
    finally:
        _METER.left = before


def spend() -> None:
    """One more form."""
    _METER.left -= 1
    if _METER.left < 0:
        raise TooMuchWork


class TooLarge(Unmet):
    """The normal form would have more than `MAX_TERMS` terms or `MAX_SIZE` atoms."""

    def __init__(self) -> None:
        detail = "the indices are too large to compare"
        super().__init__(Condition("is-understood", Status.UNKNOWN, detail, "opaque-value"))


@dataclass_transform(frozen_default=True, eq_default=False)
@dataclass(frozen=True, eq=False, repr=False)
class Atom:
    """A canonical leaf; its classes (see `atoms`) say what it is, its fields which one.

    Atoms are equal where their keys are, which order them too. Each class is a frozen dataclass.
    """

    tag: ClassVar[str] = ""
    """What its key begins with."""
    is_indicator: ClassVar[bool] = False
    """Whether it is 1 where a condition holds and 0 elsewhere."""
    is_lane: ClassVar[bool] = False
    is_position: ClassVar[bool] = False
    """Whether it is what is multiplied by a stride or a block: `program_id(0)*stride`."""
    is_quotient: ClassVar[bool] = False
    """Whether it is written with an operator: `a // b`."""

    arguments: tuple[Argument, ...] = field(init=False)
    """Its fields, for what treats all atoms alike."""

    def __init_subclass__(cls, **told: str | bool) -> None:
        for name, value in told.items():
            setattr(cls, name, value)
        dataclass(frozen=True, eq=False, repr=False)(cls)

    def __post_init__(self) -> None:
        self._keep(tuple(self.__dict__.values()))

    def _keep(self, arguments: tuple[Argument, ...]) -> None:
        object.__setattr__(self, "arguments", arguments)

    def with_arguments(self, arguments: Sequence[Argument]) -> Atom:
        """An atom of the same kind with other fields."""
        make: Callable[..., Atom] = type(self)
        return make(*arguments)

    @property
    def inside(self) -> list[Polynomial]:
        """The forms that it is made of."""
        return [argument for argument in self.arguments if isinstance(argument, Polynomial)]

    @cached_property
    def key(self) -> str:
        return f"{self.tag}({', '.join([_argument_key(a) for a in self.arguments])})"

    @cached_property
    def size(self) -> int:
        """The number of atoms in it, itself included, counted as often as they occur."""
        return 1 + sum([_size(a) for a in self.arguments])

    @cached_property
    def _hash(self) -> int:
        return hash(self.key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __repr__(self) -> str:
        return self.key

    @cached_property
    def readable(self) -> str:
        """As a person would write it, for messages and listings."""
        return self._written()

    def _written(self) -> str:
        return f"{self.tag}({', '.join(map(readable, self.arguments))})"

    def leaves(self) -> Iterator[Atom]:
        """This atom and every atom inside it."""
        yield self
        for argument in self.arguments:
            yield from _leaves(argument)

    def map(self, change: Callable[[Atom], Atom | None]) -> Atom:
        """The atom with `change` applied to each atom inside; None leaves one as it is."""
        replaced = change(self)
        if replaced is not None:
            return replaced
        arguments = self.arguments
        mapped = tuple([_map(a, change) for a in arguments])
        # What stays keeps what was found out about it.
        same = all(a is b for a, b in zip(mapped, arguments, strict=True))
        return self if same else self.with_arguments(mapped)


class Group(Atom, tag="group"):
    """A sum that something is divided by."""

    form: Polynomial

    def _written(self) -> str:
        return as_factor(self.form)


def _size(argument: Argument) -> int:
    if isinstance(argument, (Atom, Polynomial)):
        return argument.size
    return sum(_size(a) for a in argument) if isinstance(argument, tuple) else 0


def _argument_key(argument: Argument) -> str:
    if isinstance(argument, tuple):
        return "(" + ", ".join(_argument_key(a) for a in argument) + ")"
    if isinstance(argument, str):
        return repr(argument)
    return str(argument)


def readable(argument: Argument) -> str:
    """A field of an atom as a person would write it."""
    if isinstance(argument, (Atom, Polynomial)):
        return argument.readable
    if isinstance(argument, tuple):
        return ", ".join(map(readable, argument))
    return str(argument)


def as_factor(argument: Argument) -> str:
    """As a factor, in parentheses where it needs them."""
    text = readable(argument)
    return text if re.fullmatch(r"\w+(\([^()]*\))?", text) else f"({text})"


def _leaves(argument: Argument) -> Iterator[Atom]:
    if isinstance(argument, Atom):
        yield from argument.leaves()
    elif isinstance(argument, Polynomial):
        for atom in argument.atoms:
            yield from atom.leaves()
    elif isinstance(argument, tuple):
        for inner in argument:
            yield from _leaves(inner)


def _map(argument: Argument, change: Callable[[Atom], Atom | None]) -> Argument:
    if isinstance(argument, Atom):
        return argument.map(change)
    if isinstance(argument, Polynomial):
        return argument.map(change)
    if isinstance(argument, tuple):
        mapped = tuple(_map(a, change) for a in argument)
        return argument if all(a is b for a, b in zip(mapped, argument, strict=True)) else mapped
    return argument


Monomial = tuple[tuple[Atom, int], ...]
"""Atoms with their powers, sorted by key; a negative power is a division."""


class Polynomial:
    """Immutable; the terms map a monomial to its coefficient."""

    __slots__ = ("__dict__", "size", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        spend()
        if len(terms) > MAX_TERMS:
            raise TooLarge
        self.terms: dict[Monomial, Fraction] = {m: c for m, c in terms.items() if c}
        self.size = sum(atom.size for monomial in self.terms for atom, _ in monomial)
        if self.size > MAX_SIZE:
            raise TooLarge

    @classmethod
    def constant(cls, value: int | Fraction) -> Polynomial:
        return cls({(): Fraction(value)})

    @classmethod
    def of(cls, atom: Atom, power: int = 1) -> Polynomial:
        return cls({((atom, power),): Fraction(1)})

    @cached_property
    def key(self) -> str:
        return " + ".join(_term_key(m, c) for m, c in self.sorted_terms) or "0"

    @cached_property
    def readable(self) -> str:
        """As a person would write it: `N - 1`, `row*stride + arange(0, BLOCK)`."""
        terms = sorted(((m, c) for m, c in self.terms.items() if m), key=_written_order)
        rest = self.terms.get((), Fraction(0))
        if rest:
            # `N - 1`, but `1 - N`.
            first = rest > 0 and all(coefficient < 0 for _, coefficient in terms)
            terms.insert(0 if first else len(terms), ((), rest))
        text = ""
        for monomial, coefficient in terms:
            sign = (" - " if text else "-") if coefficient < 0 else (" + " if text else "")
            term = _term(monomial, abs(coefficient))
            text += f"{sign}({term})" if " & " in term and len(terms) > 1 else sign + term
        return text or "0"

    @property
    def sorted_terms(self) -> list[tuple[Monomial, Fraction]]:
        return sorted(self.terms.items(), key=lambda term: _term_key(term[0], Fraction(1)))

    @cached_property
    def atoms(self) -> frozenset[Atom]:
        return frozenset(atom for monomial in self.terms for atom, _ in monomial)

    def leaves(self) -> Iterator[Atom]:
        for atom in self.atoms:
            yield from atom.leaves()

    @property
    def constant_value(self) -> Fraction | None:
        """The number that this is, if it is one."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(()) if len(self.terms) == 1 else None

    def value(self, numbers: Mapping[Atom, int]) -> Fraction | None:
        """What it comes to with these atoms as numbers; None where one is missing or 0 divides."""
        total = Fraction(0)
        for monomial, coefficient in self.terms.items():
            for atom, power in monomial:
                number = numbers.get(atom)
                if number is None or (number == 0 and power < 0):
                    return None
                coefficient *= Fraction(number) ** power
            total += coefficient
        return total

    @property
    def is_zero(self) -> bool:
        return not self.terms

    @property
    def is_whole(self) -> bool:
        """Whether nothing is divided in it."""
        return all(
            coefficient.denominator == 1 and all(power > 0 for _, power in monomial)
            for monomial, coefficient in self.terms.items()
        )

    @property
    def sole_atom(self) -> Atom | None:
        """The atom that this is, if it is just one."""
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms.items()
            if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
                return monomial[0][0]
        return None

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __str__(self) -> str:
        return self.key

    __repr__ = __str__

    def __add__(self, other: Polynomial | int | Fraction) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in _polynomial(other).terms.items():
            known = terms.get(monomial)
            terms[monomial] = coefficient if known is None else known + coefficient
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial | int | Fraction) -> Polynomial:
        return self + -_polynomial(other)

    def __mul__(self, other: Polynomial | int | Fraction) -> Polynomial:
        other = _polynomial(other)
        if len(self.terms) * len(other.terms) > 4 * MAX_TERMS:
            raise TooLarge
        terms: dict[Monomial, Fraction] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = multiply(left, right) if left and right else left or right
                known = terms.get(monomial)
                terms[monomial] = a * b if known is None else known + a * b
        return Polynomial(terms)

    def power(self, exponent: int) -> Polynomial:
        result = ONE
        for _ in range(exponent):
            result = result * self
        return result

    def inverse(self) -> Polynomial:
        """`1 / self`, with no claim that it exists."""
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms.items()
            # An indicator has no inverse worth a name: 1/0 is not 0.
            if not any(atom.is_indicator for atom, _ in monomial):
                result = Polynomial.constant(1 / coefficient)
                for atom, power in monomial:
                    result = result * _inverted(atom, power)
                return result
        return Polynomial.of(Group(self), -1)

    def map(self, change: Callable[[Atom], Atom | None]) -> Polynomial:
        """The polynomial with `change` applied to every atom, inner ones included."""
        changed = {atom: atom.map(change) for atom in self.atoms}
        if all(old is new for old, new in changed.items()):
            return self
        terms: dict[Monomial, Fraction] = {}
        for monomial, coefficient in self.terms.items():
            mapped: Monomial = ()
            for atom, power in monomial:
                mapped = multiply(mapped, ((changed[atom], power),))
            terms[mapped] = terms.get(mapped, Fraction(0)) + coefficient
        return Polynomial(terms)

    def divided_by(self, divisor: Polynomial) -> Polynomial | None:
        """The quotient, where the divisor is one term or goes in without a rest; else None."""
        if divisor.is_zero or self.is_zero:
            return None
        ours = self.sorted_terms[0]
        for theirs in divisor.sorted_terms:
            quotient = Polynomial.constant(ours[1] / theirs[1])
            inverse = tuple((a, -p) for a, p in theirs[0] if not a.is_indicator)
            kept = tuple((a, p) for a, p in ours[0] if not (a.is_indicator and (a, p) in theirs[0]))
            quotient = quotient * Polynomial({multiply(kept, inverse): Fraction(1)})
            if quotient * divisor == self:
                return quotient
        return None

    def linear_in(self, atom: Atom) -> tuple[Polynomial, Polynomial] | None:
        """(coefficient, rest) of `coefficient * atom + rest`, neither of which has the atom inside;
        None where the atom comes in otherwise."""
        parts: tuple[dict[Monomial, Fraction], dict[Monomial, Fraction]] = ({}, {})
        for monomial, number in self.terms.items():
            others = tuple((a, p) for a, p in monomial if a != atom)
            power = sum(p for a, p in monomial if a == atom)
            if power not in (0, 1) or any(atom in set(a.leaves()) for a, _ in others):
                return None
            parts[1 - power][others] = number
        return Polynomial(parts[0]), Polynomial(parts[1])

    def coefficient(self, atom: Atom) -> Polynomial | None:
        """What an atom is multiplied by; None where it comes in otherwise, or not at all."""
        parts = self.linear_in(atom)
        return None if parts is None or parts[0].is_zero else parts[0]

    def whole_quotient(self, divisor: Polynomial) -> Polynomial | None:
        """The quotient by a single term, where it goes into every term without a rest."""
        if len(divisor.terms) != 1 or any(a.is_indicator for a in divisor.atoms):
            return None
        quotient = self * divisor.inverse()
        return quotient if quotient.is_whole else None


def _polynomial(value: Polynomial | int | Fraction) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


def _inverted(atom: Atom, power: int) -> Polynomial:
    """`atom ** -power`; a sum that was divided by is itself again."""
    if power < 0 and isinstance(atom, Group):
        return atom.form.power(-power)
    return Polynomial.of(atom, -power)


def multiply(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for atom, power in right:
        powers[atom] = 1 if atom.is_indicator else powers.get(atom, 0) + power
    return tuple(sorted(((a, p) for a, p in powers.items() if p), key=lambda item: item[0].key))


def monomial_polynomial(items: Iterable[tuple[Atom, int]]) -> Polynomial:
    return Polynomial({multiply((), tuple(items)): Fraction(1)})


def _written_order(term: tuple[Monomial, Fraction]) -> tuple[bool, int, int, Fraction, str]:
    """What is added before what is taken off, lanes late, products before single names."""
    monomial, coefficient = term
    lanes = sum(atom.is_lane for atom, _ in monomial)
    degree = sum(power for _, power in monomial)
    return coefficient < 0, lanes, -degree, -abs(coefficient), _term_key(monomial, Fraction(1))


def _term(monomial: Monomial, coefficient: Fraction) -> str:
    """A product: `2*M`, `N**2`, `row*stride`, `x/N`, `N/2`."""
    if coefficient == 1 and all(atom.is_indicator for atom, _ in monomial) and monomial:
        return " & ".join(atom.readable for atom, _ in monomial)
    if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
        return monomial[0][0].readable
    factors = sorted(monomial, key=lambda factor: not factor[0].is_position)
    above = [_power(atom, power) for atom, power in factors if power > 0]
    below = [_power(atom, -power) for atom, power in factors if power < 0]
    if coefficient.numerator != 1 or not above:
        above.insert(0, str(coefficient.numerator))
    if coefficient.denominator != 1:
        below.insert(0, str(coefficient.denominator))
    quotient = "*".join(below)
    return "*".join(above) + (
        f"/({quotient})" if len(below) > 1 else f"/{quotient}" if below else ""
    )


def _power(atom: Atom, power: int) -> str:
    text = atom.readable
    if atom.is_quotient:
        text = f"({text})"
    return text if power == 1 else f"{text}**{power}"


def _term_key(monomial: Monomial, coefficient: Fraction) -> str:
    factors = [a.key if p == 1 else f"{a.key}^{p}" for a, p in monomial]
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return "*".join(factors)


ZERO = Polynomial({})
ONE = Polynomial.constant(1)


def put_in(form: Polynomial, numbers: Mapping[Atom, int]) -> Polynomial:
    """A form in which some of its atoms are numbers."""
    total = ZERO
    for monomial, coefficient in form.terms.items():
        term = Polynomial.constant(coefficient)
        for atom, power in monomial:
            number = numbers.get(atom)
            term = term * (Polynomial.of(atom, power) if number is None else number**power)
        total = total + term
    return total
