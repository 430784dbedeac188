"""What a form is worth, by the meaning that `forms` gives to each atom.

Atoms that stand for something not understood, and elements of memory, have the value that the
execution showed them to have: the first showing teaches it, every later one must agree. So a form
that claims too little is never wrong, and one that claims too much is found out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tests.facts.execution import Undefined, bitwise, floored, remainder, truncated
from tritonopt.facts.algebra.atoms import (
    Bound,
    BoundIteration,
    CeilDiv,
    Compared,
    Converted,
    FloorDiv,
    Iteration,
    Lane,
    Loaded,
    Math,
    Maximum,
    Minimum,
    Mod,
    Negative,
    NumPrograms,
    Param,
    Placed,
    ProgramId,
    Total,
    Truth,
    Zero,
)
from tritonopt.facts.algebra.polynomial import Argument, Atom, Group, Polynomial

Key = tuple[object, ...]


class NotShown(Exception):
    """The execution never showed what an atom is worth."""


@dataclass(frozen=True)
class Point:
    """One lane in one iteration."""

    trips: Mapping[int, int]
    index: tuple[int, ...]
    bound: Mapping[str, int] = field(default_factory=dict)
    """Of sums being taken: by the key of the bound atom."""

    def lane(self, axis: int) -> int:
        # A scalar is the same in every lane; an axis of extent 1 has lane 0 only.
        return self.index[-1 - axis] if axis < len(self.index) else 0


@dataclass
class Evaluation:
    """Values of atoms in one execution."""

    parameters: Mapping[str, Fraction]
    program: int
    programs: int
    shown: dict[Key, Fraction] = field(default_factory=dict)

    def teach(self, atom: Atom, point: Point, value: Fraction) -> bool:
        """Notes what an atom is worth; False when it was worth something else before."""
        return self.shown.setdefault(self.key(atom, point), value) == value

    def key(self, atom: Atom, point: Point) -> Key:
        """What tells one showing of an atom from another."""
        if isinstance(atom, Loaded):
            offset = self.form(atom.offset, point)
            return ("load", atom.base, offset, self._version(atom.version, point))
        if isinstance(atom, Placed):
            lanes: object = point.index
            if isinstance(atom.axes, tuple):
                lanes = tuple(self._axis(a, point) for a in atom.axes)
            return (atom.tag, str(atom.identity), lanes, self._version(atom.depends, point))
        leaves = {leaf.key: self._leaf(leaf, point) for leaf in atom.leaves()}
        known = tuple(sorted((k, v) for k, v in leaves.items() if v is not None))
        return (atom.tag, atom.key, point.index, known)

    def _axis(self, axis: Argument, point: Point) -> int:
        if isinstance(axis, Atom):
            return self._bound(axis, point)
        assert isinstance(axis, int)
        return point.lane(axis)

    def _version(self, version: Argument, point: Point) -> tuple[object, ...]:
        assert isinstance(version, tuple)
        return tuple(self._leaf(e, point) if isinstance(e, Atom) else e for e in version)

    def _leaf(self, leaf: Atom, point: Point) -> int | None:
        match leaf:
            case Iteration(int() as loop):
                return self._iteration(loop, point)
            case Lane(axis=axis):
                return point.lane(axis)
            case Bound() if leaf.key in point.bound:
                return point.bound[leaf.key]
        return None

    def _iteration(self, loop: int, point: Point) -> int:
        if loop not in point.trips:
            raise NotShown
        return point.trips[loop]

    def _bound(self, atom: Atom, point: Point) -> int:
        if atom.key not in point.bound:
            raise NotShown
        return point.bound[atom.key]

    def form(self, form: Polynomial, point: Point) -> Fraction:
        total = Fraction(0)
        for monomial, coefficient in form.terms.items():
            # Where an indicator is 0, what it is multiplied with need not have a value.
            ordered = sorted(monomial, key=lambda item: not item[0].is_indicator)
            product = coefficient
            for atom, power in ordered:
                if product == 0:
                    break
                value = self.atom(atom, point)
                if value == 0 and power < 0:
                    raise Undefined
                product *= value**power
            total += product
        return total

    def _argument(self, argument: Argument, point: Point) -> Fraction:
        assert isinstance(argument, Polynomial), argument
        return self.form(argument, point)

    def atom(self, atom: Atom, point: Point) -> Fraction:
        match atom:
            case Param(name):
                return self.parameters[name]
            case ProgramId():
                return Fraction(self.program)
            case NumPrograms():
                return Fraction(self.programs)
            case Lane() | Iteration() | Bound():
                value = self._leaf(atom, point)
                if value is None:
                    raise NotShown
                return Fraction(value)
            case Negative(form):
                return Fraction(self.form(form, point) < 0)
            case Zero(form):
                return Fraction(self.form(form, point) == 0)
            case Truth(form):
                return Fraction(self.form(form, point) != 0)
            case Compared():
                return Fraction(self._holds(atom, point))
            case Group(form):
                return self.form(form, point)
            case Minimum(left, right):
                return min(self.form(left, point), self.form(right, point))
            case Maximum(left, right):
                return max(self.form(left, point), self.form(right, point))
            case CeilDiv(dividend, divisor):
                a, b = self.form(dividend, point), self.form(divisor, point)
                if b == 0:
                    raise Undefined
                return Fraction(math.ceil(a / b))
            case FloorDiv(dividend, divisor, rounding) | Mod(dividend, divisor, rounding):
                a, b = self.form(dividend, point), self.form(divisor, point)
                quotient = floored if rounding == "static" else truncated
                return quotient(a, b) if isinstance(atom, FloorDiv) else remainder(a, b, quotient)
            case Converted("int32" | "int64", form):
                return Fraction(math.trunc(self.form(form, point)))
            case Math():
                return self._math(atom, point)
            case Total():
                return self._total(atom, point)
        key = self.key(atom, point)
        if key not in self.shown:
            raise NotShown
        return self.shown[key]

    def _holds(self, atom: Compared, point: Point) -> bool:
        left, right = self.form(atom.left, point), self.form(atom.right, point)
        match atom.order:
            case "eq":
                return left == right
            case "lt":
                return left < right
            case "le":
                return left <= right
        raise NotShown

    def _math(self, atom: Math, point: Point) -> Fraction:
        values = [self._argument(o, point) for o in atom.operands]
        match atom.name:
            case "and" | "or" | "xor" | "shl" | "shr":
                return bitwise(atom.name, values[0], values[1])
            case "invert":
                return -values[0] - 1
            case "abs":
                return abs(values[0])
            case "floor":
                return Fraction(math.floor(values[0]))
        raise NotShown

    def _total(self, atom: Total, point: Point) -> Fraction:
        points = self._points(list(atom.dimensions), point)
        return sum((self.form(atom.term, p) for p in points), Fraction(0))

    def _points(self, dimensions: list[Argument], point: Point) -> Iterator[Point]:
        if not dimensions:
            yield point
            return
        names = {d[0].key for d in dimensions if isinstance(d, tuple) and isinstance(d[0], Atom)}
        assert len(names) == len(dimensions), "two dimensions of a sum under one name"
        for chosen in dimensions:
            assert isinstance(chosen, tuple)
            name, extent = chosen
            assert isinstance(name, Atom) and isinstance(extent, Polynomial)
            if not any(leaf.key in names for leaf in extent.leaves()):
                break
        rest = [d for d in dimensions if d is not chosen]
        for i in range(int(self.form(extent, point))):
            trips = dict(point.trips)
            if isinstance(name, BoundIteration):
                trips[name.loop] = i
            yield from self._points(rest, Point(trips, point.index, {**point.bound, name.key: i}))
