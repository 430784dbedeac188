"""Canonical forms: what a value is, whatever it was called and however it was written.

Every value has a form, a polynomial over atoms (see `polynomial`). Integers are
taken as mathematical integers (the condition `no-int32-overflow`), floating
point as real numbers: equal forms of floats are equal up to rounding, which is
what a rewrite at `rounding` may use and one at `exact` may not.

Lanes are numbered from the last axis, so that broadcasting changes nothing:
`cols` and `cols[None, :]` have one form. A sum over lanes or iterations is an
atom "total" over what varies, with what does not vary taken out of it.

Atoms, by tag:

    param NAME, global NAME, program_id AXIS, num_programs AXIS
    lane (EXTENT, AXIS FROM THE RIGHT)        trip LOOP
    load (BASE, OFFSET, EPOCH)                the element at an address, at a time
    negative E, zero E, holds ...             indicators: E < 0, E == 0, another condition
    total (DIMENSIONS, TERM)                  a sum; its own indices are "bound" atoms
    cdiv, floordiv, mod, round, math, call    not ring operations
    tile (IDENTITY, AXES, DEPENDS)            not understood, equal only to itself
    undefined ORDER                           a masked-off lane of a load without `other`
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from tritonopt.facts.effects import Loop
from tritonopt.facts.polynomial import (
    ONE,
    ZERO,
    Argument,
    Atom,
    Monomial,
    Polynomial,
    TooLarge,
    monomial_polynomial,
)
from tritonopt.facts.values import COMPARISONS, FLOAT_BITS, Value, is_float, is_integer

if TYPE_CHECKING:
    from tritonopt.facts.kernel import KernelFacts

Axes = tuple[int, ...]

_BOOLEAN_OPERATORS = frozenset({"and", "or", "xor", "invert", "not", "both", "either"})
_INTEGER_ATOMS = frozenset(
    {"lane", "trip", "program_id", "num_programs", "cdiv", "floordiv", "mod", "bound"}
)
MAX_POWER = 4


class Forms:
    """Computes and remembers forms.

    `memory` says whether loads at one address are told apart by the writes
    between them; a pass that wants to know *why* two forms differ asks again
    without. `raw` holds carried names that are to stay atoms, which is how a
    loop's step is computed.
    """

    def __init__(
        self,
        facts: KernelFacts,
        *,
        memory: bool = True,
        raw: frozenset[tuple[int, str]] = frozenset(),
    ) -> None:
        self.facts = facts
        self.memory = memory
        self._raw = raw
        self._known: dict[int, Polynomial] = {}
        self._without: dict[frozenset[tuple[int, str]], Forms] = {}

    def of(self, value: Value) -> Polynomial:
        """The form of a value; a value too large to be of use is an atom of its own."""
        known = self._known.get(value.serial)
        if known is None:
            try:
                known = self._compute(value)
            except TooLarge:
                known = self._unknown(value)
            self._known[value.serial] = known
        return known

    def trip_count(self, loop: Loop) -> Polynomial | None:
        """How many iterations, where that is known; a negative number means none."""
        if loop.start is None or loop.stop is None or loop.step is None:
            return None
        if self.facts.exits_early(loop):
            return None
        extent = self.of(loop.stop) - self.of(loop.start)
        return ceiling_division(extent, self.of(loop.step))

    def step_of(self, loop: Loop, name: str) -> Polynomial | None:
        """What one iteration adds to a carried name; None when it is not an addition."""
        if loop.trip is None or name not in loop.following:
            return None
        opened = self._opened((loop.identity, name))
        carried = opened._unknown(loop.carried[name])
        step = opened.of(loop.following[name]) - carried
        own = carried.sole_atom
        return None if own is None or own in set(step.leaves()) else step

    def _opened(self, name: tuple[int, str]) -> Forms:
        raw = self._raw | {name}
        if raw not in self._without:
            self._without[raw] = Forms(self.facts, memory=self.memory, raw=raw)
        return self._without[raw]

    def _compute(self, value: Value) -> Polynomial:
        operands = value.operands
        match value.op:
            case "const":
                return _constant(value.constant)
            case "param" | "constexpr":
                return Polynomial.of(Atom("param", (str(value.attribute),)))
            case "global":
                return Polynomial.of(Atom("global", (str(value.attribute),)))
            case "program_id" | "num_programs":
                return Polynomial.of(Atom(value.op, (self.of(operands[0]),)))
            case "lane":
                return Polynomial.of(Atom("lane", (self.of(operands[0]), 0)))
            case "trip":
                return Polynomial.of(trip_atom(value.number))
            case "add":
                return self.of(operands[0]) + self.of(operands[1])
            case "sub":
                return self.of(operands[0]) - self.of(operands[1])
            case "mul":
                return self.of(operands[0]) * self.of(operands[1])
            case "neg":
                return -self.of(operands[0])
            case "pos" | "full" | "broadcast_to":
                return self.of(operands[0])
            case "div":
                return self.of(operands[0]) * self.of(operands[1]).inverse()
            case "pow":
                exponent = operands[1].constant
                if exponent in range(MAX_POWER + 1):
                    return self.of(operands[0]).power(int(exponent))  # type: ignore[call-overload]
            case "where" | "phi" if not self._is_pointer(value):
                chosen = self.condition(operands[0])
                return chosen * self.of(operands[1]) + (ONE - chosen) * self.of(operands[2])
            case "minimum" | "maximum":
                sides = sorted((self.of(o) for o in operands), key=lambda side: side.key)
                return Polynomial.of(Atom(value.op, (*sides, str(value.attribute or ""))))
            case "cast":
                return self._cast(value)
            case "floordiv":
                return _floor_division(self.of(operands[0]), self.of(operands[1]))
            case "mod":
                return Polynomial.of(Atom("mod", (self.of(operands[0]), self.of(operands[1]))))
            case "insert_axes":
                return self._insert_axes(value)
            case "reduce":
                return self._reduce(value)
            case "load":
                return self._load(value)
            case "carried":
                return self._carried(value)
            case "result":
                return self._result(value)
            case "elementwise":
                return self._elementwise(value)
            case "is" | "is not":
                same = Atom("holds", ("is", self.of(operands[0]), self.of(operands[1])))
                holds = Polynomial.of(same)
                return holds if value.op == "is" else ONE - holds
        if value.op in COMPARISONS or (value.op in _BOOLEAN_OPERATORS and self._is_boolean(value)):
            return self.condition(value)
        if value.op in ("reshaped", "part", "element", "attribute", "tuple"):
            inside = tuple(_hide_lanes(self.of(o)) for o in operands)
            attribute = Atom("call", (value.op, str(value.attribute), *inside))
            return Polynomial.of(attribute)
        if value.op in ("and", "or", "xor", "shl", "shr", "invert", "not", "both", "either"):
            return Polynomial.of(Atom("math", (value.op, *(self.of(o) for o in operands))))
        if value.op == "dtype":
            return Polynomial.of(Atom("dtype", (str(value.attribute),)))
        return self._unknown(value)

    def _unknown(self, value: Value) -> Polynomial:
        """An atom of its own, which depends on every loop it was computed in."""
        axes: Argument = "unknown" if value.rank is None else tuple(reversed(range(value.rank)))
        if value.op in ("carried", "result"):
            identity, name = value.carrier
            loop = self.facts.loops[identity]
            around = loop.nest if value.op == "carried" else loop.nest[:-1]
            own: Argument = (value.op, identity, name)
        else:
            own = ("value", value.serial)
            around = tuple(self.facts.loops[i] for i in self.facts.interpretation.made_in(value))
        depends = tuple(trip_atom(loop.identity) for loop in around)
        return Polynomial.of(Atom("tile", (own, axes, depends)))

    def _is_pointer(self, value: Value) -> bool:
        return any(
            leaf.op == "param" and leaf.attribute in self.facts.pointers for leaf in value.walk()
        ) and not any(leaf.op == "load" for leaf in value.walk())

    def _is_boolean(self, value: Value) -> bool:
        if value.op in COMPARISONS or value.dtype in ("bool", "int1"):
            return True
        if value.op in ("is", "is not"):
            return True
        if value.op in _BOOLEAN_OPERATORS:
            return all(self._is_boolean(o) for o in value.operands)
        if value.op in ("insert_axes", "broadcast_to", "full"):
            return self._is_boolean(value.operands[0])
        return False

    # Conditions

    def condition(self, value: Value) -> Polynomial:
        """A form that is 1 where the condition holds and 0 where it does not."""
        sides = value.operands
        match value.op:
            case "const":
                return ONE if value.constant else ZERO
            case "and" | "or" | "xor" if not all(self._is_boolean(s) for s in sides):
                # Bits of integers: not a matter of one being true and the other.
                return Polynomial.of(Atom("holds", ("true", self.of(value))))
            case "and" | "both":
                return self.condition(sides[0]) * self.condition(sides[1])
            case "or" | "either":
                a, b = self.condition(sides[0]), self.condition(sides[1])
                return a + b - a * b
            case "xor":
                a, b = self.condition(sides[0]), self.condition(sides[1])
                return a + b - (a * b) * 2
            case "not":
                return ONE - self.condition(sides[0])
            case "invert" if self._is_boolean(sides[0]):
                return ONE - self.condition(sides[0])
            case "full" | "broadcast_to":
                return self.condition(sides[0])
            case "cast" if self._is_boolean(sides[0]):
                return self.condition(sides[0])
            case "is" | "is not" | "insert_axes" if self._is_boolean(value):
                return self.of(value)
        if value.op in COMPARISONS:
            floats = any(is_float(side.dtype) or side.dtype == "float" for side in sides)
            return self._comparison(value.op, self.of(sides[0]), self.of(sides[1]), floats)
        form = self.of(value)
        if form.terms and all(a.is_indicator for m in form.terms for a, _ in m):
            return form
        return Polynomial.of(Atom("holds", ("true", form)))

    def _comparison(self, op: str, left: Polynomial, right: Polynomial, floats: bool) -> Polynomial:
        if op in ("gt", "ge"):
            op, left, right = {"gt": "lt", "ge": "le"}[op], right, left
        difference = left - right
        integer = not floats and self.is_integer(difference)
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

    def is_integer(self, form: Polynomial) -> bool:
        """Whether every value of the form is an integer, as far as the kernel shows."""
        if any(c.denominator != 1 for c in form.terms.values()):
            return False
        return all(
            power > 0 and self._is_integer_atom(atom)
            for monomial in form.terms
            for atom, power in monomial
        )

    def _is_integer_atom(self, atom: Atom) -> bool:
        if atom.tag in _INTEGER_ATOMS or atom.is_indicator:
            return True
        if atom.tag in ("minimum", "maximum"):
            return all(self.is_integer(a) for a in atom.arguments if isinstance(a, Polynomial))
        return atom.tag == "param" and atom.arguments[0] in self.facts.integers

    # Operations that are not the ring's

    def _cast(self, value: Value) -> Polynomial:
        operand, dtype = value.operands
        form = self.of(operand)
        target = str(dtype.attribute) if dtype.op == "dtype" else None
        if target is None:
            return Polynomial.of(Atom("cast", (self.of(dtype), form)))
        if target in FLOAT_BITS:
            if FLOAT_BITS[target] >= 32 or operand.dtype == target:
                return form
            return Polynomial.of(Atom("round", (target, form)))
        # Index arithmetic is taken not to overflow 32 bits, but narrower types are meant to wrap.
        wide = target in ("int32", "int64", "uint32", "uint64")
        if wide and (is_integer(operand.dtype) or self.is_integer(form)):
            return form
        return Polynomial.of(Atom("cast", (target, form)))

    def _elementwise(self, value: Value) -> Polynomial:
        arguments = [self.of(o) for o in value.operands]
        match value.attribute:
            case "cdiv":
                return ceiling_division(arguments[0], arguments[1])
            case "fma" if len(arguments) == 3:
                return arguments[0] * arguments[1] + arguments[2]
        return Polynomial.of(Atom("math", (str(value.attribute), *arguments)))

    def _insert_axes(self, value: Value) -> Polynomial:
        pattern = value.attribute
        assert isinstance(pattern, tuple)
        own = [i for i, new in enumerate(pattern) if not new]
        rank, result_rank = len(own), len(pattern)
        moved = {rank - 1 - i: result_rank - 1 - place for i, place in enumerate(own)}
        return move_axes(self.of(value.operands[0]), moved)

    def _reduce(self, value: Value) -> Polynomial:
        name, axes, keep = value.reduction
        operand = value.operands[0]
        assert operand.shape is not None
        rank = len(operand.shape)
        form = self.of(operand)
        from_right = sorted((rank - 1 - axis for axis in axes), reverse=True)
        for axis in from_right:
            extent = self.of(operand.shape[rank - 1 - axis])
            if name == "sum":
                form = sum_over_lanes(form, axis, extent)
            else:
                inside = form.map(partial(_bind_lane, axis=axis))
                form = Polynomial.of(Atom("reduce", (name, extent, inside)))
            if not keep:
                form = move_axes(form, {a: a - 1 for a in range(axis + 1, rank)})
        return form

    def _load(self, value: Value) -> Polynomial:
        effect = self.facts.interpretation.loads[value.number]
        pointer, mask, other = value.operands
        if effect.volatile or value.shape is None:
            return self._unknown(value)
        base, offset = self.address(pointer)
        epoch: Argument = ()
        if self.memory:
            order, varying = self.facts.epoch(effect)
            epoch = (order, *(trip_atom(loop.identity) for loop in varying))
        element = Polynomial.of(Atom("load", (base or "", offset, epoch)))
        if mask.is_none:
            return element
        on = self.condition(mask)
        if other.is_none:
            filler = Polynomial.of(Atom("undefined", (effect.order,)))
        else:
            filler = self.of(other)
        return on * element + (ONE - on) * filler

    def address(self, pointer: Value) -> tuple[str | None, Polynomial]:
        """(base parameter, offset in elements); base None when it is not one parameter."""
        form = self.of(pointer)
        bases = [
            atom
            for atom in form.atoms
            if atom.tag == "param" and atom.arguments[0] in self.facts.pointers
        ]
        if len(bases) == 1 and form.terms.get(((bases[0], 1),)) == 1:
            offset = form - Polynomial.of(bases[0])
            if bases[0] not in offset.atoms:
                return str(bases[0].arguments[0]), offset
        return None, form

    # Loops

    def _carried(self, value: Value) -> Polynomial:
        identity, name = value.carrier
        loop = self.facts.loops[identity]
        if (identity, name) in self._raw:
            return self._unknown(value)
        step = self.step_of(loop, name)
        if step is None or loop.trip is None or any(_varies(leaf, loop) for leaf in step.leaves()):
            return self._unknown(value)
        return self.of(loop.initial[name]) + step * Polynomial.of(trip_atom(identity))

    def _result(self, value: Value) -> Polynomial:
        identity, name = value.carrier
        loop = self.facts.loops[identity]
        step = self.step_of(loop, name)
        count = self.trip_count(loop)
        if step is None or count is None:
            return self._unknown(value)
        return self.of(loop.initial[name]) + sum_over_loop(step, loop, count)


def _constant(constant: object) -> Polynomial:
    if isinstance(constant, (bool, int)):
        return Polynomial.constant(int(constant))
    if isinstance(constant, float) and math.isfinite(constant):
        return Polynomial.constant(Fraction(constant))
    return Polynomial.of(Atom("constant", (repr(constant),)))


def trip_atom(loop: int) -> Atom:
    return Atom("trip", (loop,))


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


def ceiling_division(dividend: Polynomial, divisor: Polynomial) -> Polynomial:
    """ceil(dividend / divisor) for a positive divisor."""
    whole, rest = _split_multiples(dividend, divisor)
    if rest.is_zero:
        return whole
    a, b = rest.constant_value, divisor.constant_value
    if a is not None and b:
        return whole + math.ceil(a / b)
    return whole + Polynomial.of(Atom("cdiv", (rest, divisor)))


def _floor_division(dividend: Polynomial, divisor: Polynomial) -> Polynomial:
    """`a // b`. `(a + b - 1) // b` is a ceiling division, which every writer of it means."""
    rest = dividend - divisor + 1
    if dividend.constant_value is not None and divisor.constant_value:
        return Polynomial.constant(math.floor(dividend.constant_value / divisor.constant_value))
    rounds_up = any(m in dividend.terms for m in divisor.terms) and not rest.is_zero
    if rounds_up and len(rest.terms) < len(dividend.terms):
        return ceiling_division(rest, divisor)
    return Polynomial.of(Atom("floordiv", (dividend, divisor)))


def _split_multiples(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(q, r) with dividend == q * divisor + r, taking whole terms only."""
    if divisor == ONE:
        return dividend, ZERO
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


# Lanes, loops and sums


def _is_carried_by(leaf: Atom, loop: Loop) -> bool:
    own = leaf.arguments[0] if leaf.tag == "tile" else None
    return isinstance(own, tuple) and own[:2] == ("carried", loop.identity)


def _varies(leaf: Atom, loop: Loop) -> bool:
    return leaf == trip_atom(loop.identity) or _is_carried_by(leaf, loop)


def varies_with(atom: Atom, loop: Loop) -> bool:
    """Whether an atom may differ between iterations of a loop."""
    return any(_varies(leaf, loop) for leaf in atom.leaves())


def varies_along(atom: Atom, axis: int) -> bool:
    """Whether an atom may differ between lanes along an axis, counted from the right."""
    for leaf in atom.leaves():
        if leaf.tag == "lane" and leaf.arguments[1] == axis:
            return True
        if leaf.tag == "tile":
            axes = leaf.arguments[1]
            if axes == "unknown" or (isinstance(axes, tuple) and axis in axes):
                return True
        if leaf.tag == "call":
            return True
    return False


def move_axes(form: Polynomial, moved: dict[int, int]) -> Polynomial:
    """The form with lanes along axis `a` now along `moved.get(a, a)`."""
    if all(a == b for a, b in moved.items()):
        return form

    def change(atom: Atom) -> Atom | None:
        if atom.tag == "lane":
            extent, axis = atom.arguments
            assert isinstance(axis, int)
            return Atom("lane", (extent, moved.get(axis, axis)))
        if atom.tag == "tile" and isinstance(atom.arguments[1], tuple):
            own, axes, depends = atom.arguments
            assert isinstance(axes, tuple)
            elsewhere = tuple(moved.get(a, a) for a in axes if isinstance(a, int))
            return Atom("tile", (own, elsewhere, depends))
        return None

    return form.map(change)


def _bind_lane(atom: Atom, axis: int) -> Atom | None:
    if atom.tag == "lane" and atom.arguments[1] == axis:
        return Atom("bound", ("lane", atom.arguments[0], axis))
    if atom.tag == "tile" and isinstance(atom.arguments[1], tuple) and axis in atom.arguments[1]:
        own, axes, depends = atom.arguments
        assert isinstance(axes, tuple)
        return Atom("tile", (("summed", axis, own), tuple(a for a in axes if a != axis), depends))
    return None


def _hide_lanes(form: Polynomial) -> Polynomial:
    """Lanes that are no longer the result's own axes."""
    return form.map(lambda a: Atom("bound", ("inner", *a.arguments)) if a.tag == "lane" else None)


def sum_over_lanes(form: Polynomial, axis: int, extent: Polynomial) -> Polynomial:
    """The sum along one axis."""
    dimension = Atom("bound", ("lane", extent, axis))
    result = ZERO
    for monomial, coefficient in form.terms.items():
        inside = [(a, p) for a, p in monomial if varies_along(a, axis)]
        outside = [(a, p) for a, p in monomial if not varies_along(a, axis)]
        bound = monomial_polynomial(inside).map(lambda a: _bind_lane(a, axis))
        factor = _total(dimension, extent, bound) if inside else extent
        result = result + monomial_polynomial(outside) * factor * coefficient
    return result


def sum_over_loop(form: Polynomial, loop: Loop, count: Polynomial) -> Polynomial:
    """The sum over all iterations of a loop."""
    dimension = Atom("bound", ("trip", loop.identity))
    trip = trip_atom(loop.identity)
    result = ZERO
    for monomial, coefficient in form.terms.items():
        inside = [(a, p) for a, p in monomial if varies_with(a, loop)]
        outside = [(a, p) for a, p in monomial if not varies_with(a, loop)]
        bound = monomial_polynomial(inside).map(lambda a: dimension if a == trip else None)
        factor = _total(dimension, count, bound) if inside else count
        result = result + monomial_polynomial(outside) * factor * coefficient
    return result


def _total(dimension: Atom, extent: Polynomial, term: Polynomial) -> Polynomial:
    """The sum of a bound term; a sum of a sum is one sum over both dimensions."""
    dimensions: tuple[Argument, ...] = ((dimension, extent),)
    inner = term.sole_atom
    if inner is not None and inner.tag == "total":
        nested, body = inner.arguments
        assert isinstance(nested, tuple) and isinstance(body, Polynomial)
        dimensions = tuple(sorted((*dimensions, *nested), key=str))
        term = body
    return Polynomial.of(Atom("total", (dimensions, term)))
