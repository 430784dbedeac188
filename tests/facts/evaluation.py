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
from tritonopt.facts.algebra.polynomial import Argument, Atom, Polynomial

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
        if atom.tag == "load":
            base, offset, version = atom.arguments
            assert isinstance(offset, Polynomial)
            return ("load", base, self.form(offset, point), self._version(version, point))
        if atom.tag in ("tile", "undefined"):
            own, axes, depends = atom.arguments
            assert isinstance(depends, tuple)
            lanes: object = point.index
            if isinstance(axes, tuple):
                lanes = tuple(self._axis(a, point) for a in axes)
            return (atom.tag, str(own), lanes, self._version(depends, point))
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
        match leaf.tag:
            case "trip":
                loop = leaf.arguments[0]
                assert isinstance(loop, int)
                return self._trip(loop, point)
            case "lane":
                axis = leaf.arguments[1]
                assert isinstance(axis, int)
                return point.lane(axis)
            case "bound" if leaf.key in point.bound:
                return point.bound[leaf.key]
        return None

    def _trip(self, loop: int, point: Point) -> int:
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
        arguments = atom.arguments
        match atom.tag:
            case "param":
                return self.parameters[str(arguments[0])]
            case "program_id":
                return Fraction(self.program)
            case "num_programs":
                return Fraction(self.programs)
            case "lane" | "trip" | "bound":
                value = self._leaf(atom, point)
                if value is None:
                    raise NotShown
                return Fraction(value)
            case "negative":
                return Fraction(self._argument(arguments[0], point) < 0)
            case "zero":
                return Fraction(self._argument(arguments[0], point) == 0)
            case "holds":
                return Fraction(self._holds(arguments, point))
            case "group":
                return self._argument(arguments[0], point)
            case "minimum" | "maximum":
                sides = [self._argument(a, point) for a in arguments[:2]]
                return min(sides) if atom.tag == "minimum" else max(sides)
            case "cdiv":
                a, b = (self._argument(x, point) for x in arguments)
                if b == 0:
                    raise Undefined
                return Fraction(math.ceil(a / b))
            case "floordiv" | "mod":
                a, b = (self._argument(x, point) for x in arguments[:2])
                quotient = floored if "static" in arguments else truncated
                return quotient(a, b) if atom.tag == "floordiv" else remainder(a, b, quotient)
            case "cast" if arguments[0] in ("int32", "int64"):
                return Fraction(math.trunc(self._argument(arguments[1], point)))
            case "math":
                return self._math(atom, point)
            case "total":
                return self._total(atom, point)
        key = self.key(atom, point)
        if key not in self.shown:
            raise NotShown
        return self.shown[key]

    def _holds(self, arguments: tuple[Argument, ...], point: Point) -> bool:
        sides = [self._argument(a, point) for a in arguments[1:]]
        match arguments[0]:
            case "true":
                return sides[0] != 0
            case "eq":
                return sides[0] == sides[1]
            case "lt":
                return sides[0] < sides[1]
            case "le":
                return sides[0] <= sides[1]
        raise NotShown

    def _math(self, atom: Atom, point: Point) -> Fraction:
        name, *operands = atom.arguments
        values = [self._argument(o, point) for o in operands]
        match name:
            case "and" | "or" | "xor" | "shl" | "shr":
                return bitwise(name, values[0], values[1])
            case "invert":
                return -values[0] - 1
            case "abs":
                return abs(values[0])
            case "floor":
                return Fraction(math.floor(values[0]))
        raise NotShown

    def _total(self, atom: Atom, point: Point) -> Fraction:
        dimensions, term = atom.arguments
        assert isinstance(dimensions, tuple) and isinstance(term, Polynomial)
        return sum((self.form(term, p) for p in self._points(list(dimensions), point)), Fraction(0))

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
            if name.arguments[0] == "trip":
                loop = name.arguments[1]
                assert isinstance(loop, int)
                trips[loop] = i
            yield from self._points(rest, Point(trips, point.index, {**point.bound, name.key: i}))
