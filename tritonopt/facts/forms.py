"""Canonical forms: what a value is, whatever it was called and however it was written.

Every value has a form, a polynomial over atoms (see `polynomial`). Integers are
taken as mathematical integers (the condition `no-int32-overflow`, which covers
narrower and unsigned types too, once a value has one), floating point as real
numbers: equal forms of floats are equal up to rounding, which is what a rewrite
at `rounding` may use and one at `exact` may not. Real numbers have no inf and no
NaN, and are not divided by zero: `0*x` is 0, and `x/x` is 1.

Lanes are numbered from the last axis, so that broadcasting changes nothing:
`cols` and `cols[None, :]` have one form. A sum over lanes or iterations is an
atom "total" over what varies, with what does not vary taken out of it. A loop
that counts below zero runs zero times.

Atoms, by tag:

    param NAME, global NAME, program_id AXIS, num_programs AXIS
    lane (EXTENT, AXIS FROM THE RIGHT)        trip LOOP
    load (BASE, OFFSET, EPOCH)                the element at an address, at a time
    negative E, zero E, holds ...             indicators: E < 0, E == 0, another condition
    total (DIMENSIONS, TERM)                  a sum; its own indices are "bound" atoms
    cdiv A B                                  the least integer not below A / B
    floordiv A B WHEN, mod A B WHEN           as Triton divides integers, see `_rounding`
    round, cast, math, call, attribute        not ring operations
    tile (IDENTITY, AXES, DEPENDS)            not understood, equal only to itself
    undefined (ORDER, AXES, DEPENDS)          a masked-off lane of a load without `other`

AXES of an atom are the axes, counted from the right, that its own axes lie along, or the
bound atoms of the sums over them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations
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

_WITH_AXES = frozenset({"tile", "undefined"})
_BOOLEAN_OPERATORS = frozenset({"and", "or", "xor", "invert", "not", "both", "either"})
_INTEGER_ATOMS = frozenset(
    {"lane", "trip", "program_id", "num_programs", "cdiv", "floordiv", "bound"}
)
_NONNEGATIVE_ATOMS = frozenset({"lane", "trip", "program_id", "num_programs", "bound"})
_ARITHMETIC = frozenset(
    {"add", "sub", "mul", "floordiv", "mod", "pow", "neg", "pos", "invert", "not"}
    | {"and", "or", "xor", "shl", "shr", "minimum", "maximum", "both", "either", "elementwise"}
    | COMPARISONS
)
_WIDE_INTEGERS = frozenset({"int32", "int64"})
MAX_POWER = 4
MAX_OPENED = 2
"""Names of one loop that are kept as they are at a time, while the step of one of them is found.

Where each of many names is computed from all the others, every set of them would be tried.
"""


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
        self._conditions: dict[int, Polynomial] = {}
        self._boolean: dict[int, bool] = {}
        self._integer_loads: set[Atom] = set()
        self._when: dict[int, str] = {}
        self._without: dict[frozenset[tuple[int, str]], Forms] = {}

    def of(self, value: Value) -> Polynomial:
        """The form of a value; a value too large to be of use is an atom of its own."""
        known = self._known.get(value.serial)
        if known is not None:
            return known
        # Operands first, so that a chain of a thousand additions is no deep recursion.
        todo = [value]
        while todo:
            part = todo[-1]
            ahead = [o for o in part.operands if o.serial not in self._known]
            if ahead:
                todo += ahead
                continue
            todo.pop()
            if part.serial not in self._known:
                self._known[part.serial] = self._limited(part)
        return self._known[value.serial]

    def _limited(self, value: Value) -> Polynomial:
        try:
            return self._compute(value)
        except TooLarge:
            return self._unknown(value)

    def trip_count(self, loop: Loop) -> Polynomial | None:
        """How many iterations, where that is known; a negative number means none."""
        if loop.start is None or loop.stop is None or loop.step is None:
            return None
        if self.facts.exits_early(loop):
            return None
        try:
            extent = self.of(loop.stop) - self.of(loop.start)
            count = ceiling_division(extent, self.of(loop.step))
            tiles = count.sole_atom
            if tiles is not None and tiles.tag == "floordiv":
                # `(a + b - 1) // b` differs from the ceiling of a / b, if at all, where both
                # are no number of iterations.
                dividend, divisor = tiles.arguments[:2]
                assert isinstance(dividend, Polynomial) and isinstance(divisor, Polynomial)
                if self.is_positive(divisor):
                    return ceiling_division(dividend - divisor + 1, divisor)
            return count
        except TooLarge:
            return None

    def step_of(self, loop: Loop, name: str) -> Polynomial | None:
        """What one iteration adds to a carried name; None when it is not an addition."""
        if loop.trip is None or name not in loop.following:
            return None
        opened = self._opened((loop.identity, name))
        carried = opened._unknown(loop.carried[name])
        try:
            step = opened.of(loop.following[name]) - carried
        except TooLarge:
            return None
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
            case "add" | "sub" | "neg" if self._wraps(value):
                inside = (self.of(o) for o in operands)
                return Polynomial.of(Atom("math", (f"bit {value.op}", *inside)))
            case "add":
                return self.of(operands[0]) + self.of(operands[1])
            case "sub":
                return self.of(operands[0]) - self.of(operands[1])
            case "mul":
                return self.of(operands[0]) * self.of(operands[1])
            case "neg":
                return -self.of(operands[0])
            case "pos" | "in_branch":
                return self.of(operands[0])
            case "full":
                return self._full(value)
            case "broadcast_to":
                form = self.of(operands[0])
                return self._unknown(value) if _has_unknown_axes(form) else form
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
                return self._division(value, self.of(operands[0]), self.of(operands[1]))
            case "mod":
                return self._remainder(value)
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
        if value.op in ("reshaped", "one_of", "part", "element", "attribute", "tuple"):
            arguments = tuple((_hide_lanes(self.of(o)), self._shape(o)) for o in operands)
            tag = "attribute" if value.op == "attribute" else "call"
            return Polynomial.of(Atom(tag, (value.op, str(value.attribute), *arguments)))
        if value.op in ("and", "or", "xor", "shl", "shr", "invert", "not", "both", "either"):
            return Polynomial.of(Atom("math", (value.op, *(self.of(o) for o in operands))))
        if value.op == "dtype":
            return Polynomial.of(Atom("dtype", (str(value.attribute),)))
        return self._unknown(value)

    def _unknown(self, value: Value) -> Polynomial:
        """An atom of its own, which depends on every loop it was computed in."""
        if value.op in ("carried", "result"):
            identity, name = value.carrier
            loop = self.facts.loops[identity]
            around = loop.nest if value.op == "carried" else loop.nest[:-1]
            own: Argument = (value.op, identity, name)
        else:
            own = ("value", value.serial)
            around = tuple(self.facts.loops[i] for i in self.facts.interpretation.made_in(value))
        depends = tuple(trip_atom(loop.identity) for loop in around)
        return Polynomial.of(Atom("tile", (own, _axes(value), depends)))

    def _shape(self, value: Value) -> Argument:
        """What tells operands of one form apart: `x` and `x[None, :]` have other axes."""
        if value.shape is None:
            return ("value", value.serial)
        return tuple(self.of(extent) for extent in value.shape)

    def _is_pointer(self, value: Value) -> bool:
        return any(
            leaf.op == "param" and leaf.attribute in self.facts.pointers for leaf in value.walk()
        ) and not any(leaf.op == "load" for leaf in value.walk())

    def _is_boolean(self, value: Value) -> bool:
        known = self._boolean.get(value.serial)
        if known is None:
            known = self._boolean[value.serial] = self._computes_boolean(value)
        return known

    def _computes_boolean(self, value: Value) -> bool:
        if value.op in COMPARISONS or value.op in ("is", "is not"):
            return True
        if value.dtype in ("bool", "int1") and value.op != "invert":
            return True
        if value.op == "invert" and self.when(value) == "static":
            return False  # Python's: ~True is -2
        if value.op in _BOOLEAN_OPERATORS:
            return all(self._is_boolean(o) for o in value.operands)
        if value.op in ("insert_axes", "broadcast_to", "in_branch"):
            return self._is_boolean(value.operands[0])
        return False

    def _wraps(self, value: Value) -> bool:
        """Whether this is arithmetic on single bits: True + True is False, but for constants."""
        return self.when(value) != "static" and all(self._is_boolean(o) for o in value.operands)

    # Conditions

    def condition(self, value: Value) -> Polynomial:
        """A form that is 1 where the condition holds and 0 where it does not."""
        known = self._conditions.get(value.serial)
        if known is None:
            try:
                known = self._condition(value)
            except TooLarge:
                known = Polynomial.of(Atom("holds", ("true", self._unknown(value))))
            self._conditions[value.serial] = known
        return known

    def _condition(self, value: Value) -> Polynomial:
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
            case "invert" if self._is_boolean(sides[0]) and self.when(sides[0]) != "static":
                return ONE - self.condition(sides[0])
            case "cast" | "in_branch" if self._is_boolean(sides[0]):
                return self.condition(sides[0])
            case "is" | "is not" | "insert_axes" if self._is_boolean(value):
                return self.of(value)
        if value.op in COMPARISONS:
            floats = any(is_float(side.dtype) or side.dtype == "float" for side in sides)
            return self._comparison(value.op, self.of(sides[0]), self.of(sides[1]), floats)
        form = self.of(value)
        if form.constant_value is not None:
            return ONE if form.constant_value else ZERO
        if all(a.is_indicator for m in form.terms for a, _ in m) and form * form == form:
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
        if atom.tag in ("minimum", "maximum", "mod"):
            return all(self.is_integer(a) for a in atom.arguments if isinstance(a, Polynomial))
        if atom.tag == "load":
            return atom in self._integer_loads
        return atom.tag == "param" and atom.arguments[0] in self.facts.integers.parameters

    def is_nonnegative(self, form: Polynomial) -> bool:
        """Whether the form is shown to be 0 or more: a sum of what cannot be negative."""
        return all(
            coefficient > 0 and all(p > 0 and self._is_nonnegative_atom(a) for a, p in monomial)
            for monomial, coefficient in form.terms.items()
        )

    def is_positive(self, form: Polynomial) -> bool:
        return self.is_nonnegative(form) and any(
            all(a.tag == "num_programs" or self._is_extent(a) for a, _ in monomial)
            for monomial in form.terms
        )

    def _is_nonnegative_atom(self, atom: Atom) -> bool:
        return atom.tag in _NONNEGATIVE_ATOMS or atom.is_indicator or self._is_extent(atom)

    def _is_extent(self, atom: Atom) -> bool:
        return atom.tag == "param" and atom.arguments[0] in self.facts.extents

    # Operations that are not the ring's

    def when(self, value: Value) -> str:
        """When a value is computed: "static" (by the compiler), "runtime", or "either".

        A parameter is either: the compiler knows an argument that is 1.
        """
        known = self._when.get(value.serial)
        if known is None:
            # Operands first, as in `of`.
            for part in operands_first(value, self._when):
                self._when[part.serial] = self._computed(part)
            known = self._when[value.serial]
        return known

    def _computed(self, value: Value) -> str:
        match value.op:
            case "const" | "constexpr" | "global" | "dtype":
                return "static"
            case "param" | "phi" | "opaque" | "tuple" | "part" | "element" | "attribute" | "one_of":
                return "either"
            case "in_branch":
                return self._when[value.operands[0].serial]
            case "trip":
                static = self.facts.loops[value.number].kind.endswith("static_range")
                return "static" if static else "runtime"
            case "carried" | "result":
                static = self.facts.loops[value.carrier.loop].kind.endswith("static_range")
                return "either" if static else "runtime"
        if value.op not in _ARITHMETIC and value.op not in ("is", "is not"):
            return "runtime"
        parts = {self._when[o.serial] for o in value.operands}
        if "runtime" in parts:
            return "runtime"
        return "either" if "either" in parts else "static"

    def _rounding(self, value: Value, dividend: Polynomial, divisor: Polynomial) -> str:
        """How a quotient of integers is rounded; "" where it does not matter.

        Python rounds down, and so does the compiler where it knows both sides; compiled code
        rounds toward zero. The two differ where just one side is negative.
        """
        if self.is_nonnegative(dividend) and self.is_nonnegative(divisor):
            return ""
        return self.when(value)

    def _division(self, value: Value, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        """`a // b`"""
        if divisor == ONE:
            return dividend
        rounding = self._rounding(value, dividend, divisor)
        a, b = dividend.constant_value, divisor.constant_value
        if a is not None and b and rounding != "either":
            return Polynomial.constant(math.trunc(a / b) if rounding == "runtime" else a // b)
        return Polynomial.of(Atom("floordiv", (dividend, divisor, rounding)))

    def _remainder(self, value: Value) -> Polynomial:
        """`a % b`"""
        dividend, divisor = (self.of(o) for o in value.operands)
        rounding = self._rounding(value, dividend, divisor)
        return Polynomial.of(Atom("mod", (dividend, divisor, rounding)))

    def _full(self, value: Value) -> Polynomial:
        """The filler, as far as its conversion to the tile's type leaves it what it is."""
        form = self.of(value.operands[0])
        constant = form.constant_value
        bits = FLOAT_BITS.get(value.dtype or "", 0)
        small = constant is not None and constant.denominator == 1 and abs(constant) <= 256
        infinite = form.sole_atom is not None and form.sole_atom.tag == "constant"
        if constant in (0, 1) or bits >= 32 or (bits == 16 and (small or infinite)):
            return form
        if value.dtype in _WIDE_INTEGERS and self.is_integer(form):
            return form
        return self._unknown(value)

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
        if target == "int1":
            return self.condition(operand)
        if operand.dtype == target or self._is_boolean(operand):
            return form
        # Index arithmetic is taken not to overflow 32 bits, but narrower types are meant to wrap,
        # and an unsigned one turns a negative number into a large one.
        wide = target in _WIDE_INTEGERS or (
            target in ("uint32", "uint64") and self.is_nonnegative(form)
        )
        if wide and (is_integer(operand.dtype) or self.is_integer(form)):
            return form
        return Polynomial.of(Atom("cast", (target, form)))

    def _elementwise(self, value: Value) -> Polynomial:
        arguments = [self.of(o) for o in value.operands]
        if value.attribute == "python.triton.next_power_of_2" and len(arguments) == 1:
            return _power_of_two(arguments[0])
        match value.attribute:
            case "cdiv":
                # That is how Triton defines it: no ceiling where the dividend is negative.
                return self._division(value, arguments[0] + arguments[1] - 1, arguments[1])
            case "fma" if len(arguments) == 3:
                return arguments[0] * arguments[1] + arguments[2]
        return Polynomial.of(Atom("math", (str(value.attribute), *arguments)))

    def _insert_axes(self, value: Value) -> Polynomial:
        pattern = value.attribute
        assert isinstance(pattern, tuple)
        own = [i for i, new in enumerate(pattern) if not new]
        rank, result_rank = len(own), len(pattern)
        moved = {rank - 1 - i: result_rank - 1 - place for i, place in enumerate(own)}
        form = self.of(value.operands[0])
        return self._unknown(value) if _has_unknown_axes(form) else move_axes(form, moved)

    def _reduce(self, value: Value) -> Polynomial:
        name, axes, keep = value.reduction
        operand = value.operands[0]
        assert operand.shape is not None
        rank = len(operand.shape)
        form = self.of(operand)
        if _has_unknown_axes(form):
            return self._unknown(value)
        from_right = sorted((rank - 1 - axis for axis in axes), reverse=True)
        for axis in from_right:
            extent = self.of(operand.shape[rank - 1 - axis])
            if name == "sum":
                form = sum_over_lanes(form, axis, extent)
            else:
                lane = _fresh_lane(form, extent)
                inside = form.map(partial(_bind_lane, axis=axis, bound=lane))
                form = Polynomial.of(Atom("reduce", (name, lane, extent, inside)))
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
        atom = Atom("load", (base or "", offset, epoch))
        if value.number in self.facts.integers.loads:
            self._integer_loads.add(atom)
        element = Polynomial.of(atom)
        if mask.is_none:
            return element
        on = self.condition(mask)
        if other.is_none:
            depends = tuple(trip_atom(loop.identity) for loop in effect.loops)
            filler = Polynomial.of(Atom("undefined", (effect.order, _axes(value), depends)))
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
        if (identity, name) in self._raw or self._has_opened_enough(identity):
            return self._unknown(value)
        step = self.step_of(loop, name)
        if step is None or loop.trip is None or any(_varies(leaf, loop) for leaf in step.leaves()):
            return self._unknown(value)
        return self.of(loop.initial[name]) + step * Polynomial.of(trip_atom(identity))

    def _has_opened_enough(self, loop: int) -> bool:
        return sum(identity == loop for identity, _ in self._raw) >= MAX_OPENED

    def _result(self, value: Value) -> Polynomial:
        identity, name = value.carrier
        loop = self.facts.loops[identity]
        step = self.step_of(loop, name)
        count = self.trip_count(loop)
        if step is None or count is None:
            return self._unknown(value)
        return self.of(loop.initial[name]) + sum_over_loop(step, loop, count)


def _axes(value: Value) -> Argument:
    return "unknown" if value.rank is None else tuple(reversed(range(value.rank)))


def operands_first(value: Value, known: Mapping[int, object]) -> list[Value]:
    """The value and all it is made of that is not known yet, each after its operands."""
    found: dict[int, Value] = {}
    todo = [(value, False)]
    while todo:
        part, ready = todo.pop()
        if part.serial in known or part.serial in found:
            continue
        if ready:
            found[part.serial] = part
        else:
            todo.append((part, True))
            todo.extend((o, False) for o in part.operands)
    return list(found.values())


def _constant(constant: object) -> Polynomial:
    if isinstance(constant, (bool, int)):
        return Polynomial.constant(int(constant))
    if isinstance(constant, float) and math.isfinite(constant):
        return Polynomial.constant(Fraction(constant))
    return Polynomial.of(Atom("constant", (repr(constant),)))


def _power_of_two(form: Polynomial) -> Polynomial:
    """The least power of two that is not below the form."""
    number = form.constant_value
    if number is not None and number.denominator == 1 and number > 0:
        return Polynomial.constant(1 << (int(number) - 1).bit_length())
    return Polynomial.of(Atom("power_of_two", (form,)))


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
    """The least integer that is not below dividend / divisor, for integers."""
    whole, rest = _split_multiples(dividend, divisor)
    if rest.is_zero:
        return whole
    a, b = rest.constant_value, divisor.constant_value
    if a is not None and b:
        return whole + math.ceil(a / b)
    return whole + Polynomial.of(Atom("cdiv", (rest, divisor)))


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
        if leaf.tag in _WITH_AXES:
            axes = leaf.arguments[1]
            if axes == "unknown" or (isinstance(axes, tuple) and axis in axes):
                return True
        if leaf.tag == "call":
            return True
    return False


def _has_unknown_axes(form: Polynomial) -> bool:
    """Whether it is not known along which axes the form varies: nobody can move or sum them."""
    return any(
        leaf.tag == "call" or (leaf.tag in _WITH_AXES and leaf.arguments[1] == "unknown")
        for leaf in form.leaves()
    )


def move_axes(form: Polynomial, moved: dict[int, int]) -> Polynomial:
    """The form with lanes along axis `a` now along `moved.get(a, a)`."""
    if all(a == b for a, b in moved.items()):
        return form

    def change(atom: Atom) -> Atom | None:
        if atom.tag == "lane":
            extent, axis = atom.arguments
            assert isinstance(axis, int)
            return Atom("lane", (extent, moved.get(axis, axis)))
        if atom.tag in _WITH_AXES and isinstance(atom.arguments[1], tuple):
            own, axes, depends = atom.arguments
            assert isinstance(axes, tuple)
            elsewhere = tuple(moved.get(a, a) if isinstance(a, int) else a for a in axes)
            return Atom(atom.tag, (own, elsewhere, depends))
        return None

    return form.map(change)


def _fresh_lane(term: Polynomial, extent: Polynomial) -> Atom:
    """A bound lane that is not in the term: sums inside of it keep their own."""
    taken = [a.arguments[2] for a in term.leaves() if _is_bound_lane(a)]
    number = 1 + max((n for n in taken if isinstance(n, int)), default=-1)
    return Atom("bound", ("lane", extent, number))


def _is_bound_lane(atom: Atom) -> bool:
    return atom.tag == "bound" and atom.arguments[0] == "lane"


def _bind_lane(atom: Atom, axis: int, bound: Atom) -> Atom | None:
    if atom.tag == "lane" and atom.arguments[1] == axis:
        return bound
    if atom.tag in _WITH_AXES and isinstance(atom.arguments[1], tuple):
        own, axes, depends = atom.arguments
        assert isinstance(axes, tuple)
        return Atom(atom.tag, (own, tuple(bound if a == axis else a for a in axes), depends))
    return None


def _hide_lanes(form: Polynomial) -> Polynomial:
    """Lanes that are no longer the result's own axes."""
    return form.map(lambda a: Atom("bound", ("inner", *a.arguments)) if a.tag == "lane" else None)


def sum_over_lanes(form: Polynomial, axis: int, extent: Polynomial) -> Polynomial:
    """The sum along one axis."""
    result = ZERO
    for monomial, coefficient in form.terms.items():
        inside = [(a, p) for a, p in monomial if varies_along(a, axis)]
        outside = [(a, p) for a, p in monomial if not varies_along(a, axis)]
        factor = extent
        if inside:
            term = monomial_polynomial(inside)
            lane = _fresh_lane(term, extent)
            bound = term.map(partial(_bind_lane, axis=axis, bound=lane))
            factor = _total(lane, extent, bound)
        result = result + monomial_polynomial(outside) * factor * coefficient
    return result


def sum_over_loop(form: Polynomial, loop: Loop, count: Polynomial) -> Polynomial:
    """The sum over all iterations of a loop; none where `count` is negative."""
    times = _at_least_zero(count)
    dimension = Atom("bound", ("trip", loop.identity))
    trip = trip_atom(loop.identity)
    result = ZERO
    for monomial, coefficient in form.terms.items():
        inside = [(a, p) for a, p in monomial if varies_with(a, loop)]
        outside = [(a, p) for a, p in monomial if not varies_with(a, loop)]
        bound = monomial_polynomial(inside).map(lambda a: dimension if a == trip else None)
        factor = _total(dimension, count, bound) if inside else times
        result = result + monomial_polynomial(outside) * factor * coefficient
    return result


def _total(dimension: Atom, extent: Polynomial, term: Polynomial) -> Polynomial:
    """The sum of a bound term; a sum of a sum is one sum over both dimensions."""
    dimensions: tuple[Argument, ...] = ((dimension, extent),)
    inner = term.sole_atom
    if inner is not None and inner.tag == "total":
        nested, body = inner.arguments
        assert isinstance(nested, tuple) and isinstance(body, Polynomial)
        dimensions = (*dimensions, *nested)
        term = body
    total = Atom("total", (tuple(sorted(dimensions, key=str)), term))
    lanes = sorted({a for a in total.leaves() if _is_bound_lane(a)}, key=str)
    own = [a for a in lanes if any(isinstance(d, tuple) and d[0] == a for d in dimensions)]
    if len(own) < 2:
        return Polynomial.of(total)
    # Sums over several axes are one sum, in whichever order they were written.
    return Polynomial.of(min(_renumbered(dimensions, term, own), key=lambda atom: atom.key))


def _renumbered(
    dimensions: tuple[Argument, ...], term: Polynomial, lanes: Sequence[Atom]
) -> Iterator[Atom]:
    """The sum with its bound lanes numbered in every order."""
    numbers = [lane.arguments[2] for lane in lanes]
    for order in permutations(numbers):
        renamed = {
            lane: Atom("bound", (*lane.arguments[:2], n))
            for lane, n in zip(lanes, order, strict=True)
        }
        whole = Polynomial.of(Atom("total", (dimensions, term))).map(renamed.get)
        (total,) = whole.atoms
        again, body = total.arguments
        assert isinstance(again, tuple)
        yield Atom("total", (tuple(sorted(again, key=str)), body))


def _at_least_zero(count: Polynomial) -> Polynomial:
    value = count.constant_value
    if value is not None:
        return count if value >= 0 else ZERO
    if all(
        c > 0 and all(p > 0 and a.tag in _NONNEGATIVE_ATOMS for a, p in m)
        for m, c in count.terms.items()
    ):
        return count
    sides = sorted((ZERO, count), key=lambda side: side.key)
    return Polynomial.of(Atom("maximum", (*sides, "")))
