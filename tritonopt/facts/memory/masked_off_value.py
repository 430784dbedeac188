"""What a value is on lanes that are masked off, which comes from the `other=` of its loads.

`masked_off_value` tells four answers apart: a number, which is the same in every element type; an
expression; undefined lanes, of a load without `other=`; and what is not known. `Padding` finds the
number: it follows the zeros, small whole numbers and the infinities, exactly, so that neither
rounding nor contraction matters. (Integers have one zero: for them the sign of a zero means
nothing.) `FilledLanes` asks for less, that a value is finite there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tritonopt.checks.condition import refuted
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    FloorDiv,
    Global,
    Iteration,
    Lane,
    Maximum,
    Minimum,
    Mod,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
    Zero,
)
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge, put_in
from tritonopt.facts.dtypes import FLOATS
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import BITS, COMPARISONS, Op
from tritonopt.facts.repetition import Axes, function_on_numbers
from tritonopt.facts.values import (
    FLOAT_BITS,
    INTEGER_DTYPES,
    Value,
    is_float,
    is_integer,
    operands_first,
)

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

LARGEST = 127
"""The largest whole number that all types hold, floats of 8 bits left out."""

MAX_DEPTH = 100

_NEVER_ZERO = 1 / 64
"""No type rounds a number of this size to 0."""

_COMPARED: Mapping[Op, Callable[[float, float], bool]] = {
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
}

_UNKNOWN = "value-is-not-known"

_STABLE_ATOMS = (
    *(Param, Global, ProgramId, NumPrograms, Lane, Iteration),
    *(CeilDiv, FloorDiv, Mod, Minimum, Maximum, Negative, Zero),
)
"""What conditions on indices are made of, as long as nothing is loaded for them."""


@dataclass(frozen=True)
class Number:
    """The same number in all of the lanes."""

    value: float
    dtype: str | None
    """The type of the lanes, where it is known."""


@dataclass(frozen=True)
class Expression:
    """What only the launch knows, the same in all of the lanes, as in `other=fill`."""

    form: Polynomial


@dataclass(frozen=True)
class Undefined:
    """Whatever the hardware leaves there: a load has no `other=`."""

    detail: str


@dataclass(frozen=True)
class Unknown:
    """Anything, as far as is shown."""

    reason: str
    detail: str


def masked_off_value(
    facts: KernelFacts, value: Value, mask: Value
) -> Number | Expression | Undefined | Unknown:
    """What a value is on the lanes where a mask is off."""
    padding = Padding(facts, mask)
    try:
        return Number(padding.of(value), value.dtype)
    except NotKnown as found:
        if found.reason == "no-other":
            return Undefined(found.detail)
        filler = padding.filler(value)
        return Unknown(found.reason, found.detail) if filler is None else Expression(filler)


def is_masked_off(facts: KernelFacts, mask: Value | None, is_zero: Callable[[Atom], bool]) -> bool:
    """Whether a mask is off in all lanes in which each of these indicators is 0."""
    if mask is None or mask.is_none:
        return False
    form = facts.forms.condition(mask)
    return all(any(is_zero(atom) for atom, _ in term) for term in form.terms)


def check_masked_off(facts: KernelFacts, effects: Iterable[Effect], inside: Atom) -> None:
    """Raises Declined where an access is on in a lane in which the indicator `inside` is 0."""
    for effect in effects:
        if not is_masked_off(facts, effect.mask, lambda atom: atom == inside):
            text = f"line {effect.line} is not masked off past the end of the row"
            raise refuted("reads-nothing-more", "length-matters", text)


def number_outside(
    facts: KernelFacts, value: Value, inside: Atom, varies: Callable[[Value], bool]
) -> float | None:
    """The number that a value is where the indicator `inside` is 0; None where that is open.

    `varies` says of a value whether it may be another one there than elsewhere. A zero may be one
    by its form, for it adds nothing to a sum: a reduction that tells 0 from -0.0 has to ask for
    more.
    """
    if is_zero_outside(facts, value, inside, varies):
        return 0.0
    wanted = Polynomial.of(inside)
    compared = (v for v in facts.values.values() if v.op in COMPARISONS)
    condition = next((v for v in compared if facts.forms.condition(v) == wanted), None)
    if condition is None:
        return None
    found = masked_off_value(facts, value, condition)
    return found.value if isinstance(found, Number) else None


class NotKnown(Exception):
    """The value on masked-off lanes is not known, or is not the same for all inputs."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Padding:
    """Expressions on the lanes where `condition` is false.

    Another class may say itself which masks are off on the lanes that it means.
    """

    def __init__(self, facts: KernelFacts, condition: Value | None = None) -> None:
        self._facts = facts
        self._condition = condition
        self._depth = 0
        self._found: dict[tuple[int, Axes], float | NotKnown] = {}

    def of(self, value: Value, axes: Axes = ()) -> float:
        """The number that a value is on all of these lanes. Raises NotKnown."""
        key = value.serial, axes
        if key not in self._found:
            try:
                self._found[key] = self._find(value, axes)
            except NotKnown as why:
                self._found[key] = why
        found = self._found[key]
        if isinstance(found, NotKnown):
            raise found
        return found

    def _find(self, value: Value, axes: Axes) -> float:
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                raise NotKnown(_UNKNOWN, "the expression is too deep to be analyzed")
            number = _checked(self._number(value, axes))
            if (
                value.op in (Op.NEG, Op.MUL)
                and is_negative_zero(number)
                and self._is_integer(value)
            ):
                # 0, which is another number than -0.0 once it is converted to a float.
                raise NotKnown(_UNKNOWN, "whether it is 0 or -0.0 depends on its type")
            return number
        finally:
            self._depth -= 1

    def filler(self, value: Value) -> Polynomial | None:
        """What a masked load gives there, if that is one expression for all lanes."""
        while value.op in (Op.INSERT_AXES, Op.BROADCAST_TO, Op.POS):
            value = value.operand
        if value.op is not Op.LOAD or value.mask.is_none or not self._is_off(value.mask, ()):
            return None
        form = self._facts.forms.of(value.other) if value.other.shape == () else None
        return form if form is not None and form.constant_value is None else None

    def _is_integer(self, value: Value) -> bool:
        """Whether a value may be an integer; what a load clears with a float is taken for none."""
        types = self._facts.types.of(value)
        if types.seen:
            return not types.all_in(FLOATS)
        return not any(part.dtype == "float" for part in value.walk())

    def _number(self, value: Value, axes: Axes) -> float:
        match value.op:
            case Op.CONST:
                return _constant(value)
            case Op.LOAD:
                return self._load(value, axes)
            case Op.FULL:
                return self.of(value.operand)
            case Op.INSERT_AXES:
                return self.of(value.operand, (value.pattern, *axes))
            case Op.BROADCAST_TO | Op.POS:
                return self.of(value.operand, axes)
            case Op.NEG:
                return -self.of(value.operand, axes)
            case Op.ADD:
                return self.of(value.left, axes) + self.of(value.right, axes)
            case Op.SUB:
                return self.of(value.left, axes) - self.of(value.right, axes)
            case Op.MUL:
                return self._product(value.left, value.right, axes)
            case Op.DIV:
                return _quotient(self.of(value.left, axes), self.of(value.right, axes))
            case Op.MINIMUM | Op.MAXIMUM:
                return _extremum(value.op, *(self.of(o, axes) for o in value.operands))
            case Op.WHERE:
                decided = self._decided(value.condition, axes)
                if decided is not None:
                    return self.of(value.then if decided else value.other, axes)
                return self._same(value.then, value.other, axes)
            case Op.PHI:
                return self._same(value.then, value.other, axes)
            case Op.CAST:
                return _cast(self.of(value.operand, axes), value)
            case Op.ELEMENTWISE:
                return self._function(value, axes)
            case op if op in _COMPARED:
                decided = self._decided(value, axes)
                if decided is not None:
                    return float(decided)
        what = "may be inf or NaN" if value.shape == () else "is unknown in inactive lanes"
        raise NotKnown(_UNKNOWN, f"{_named(value)} {what}")

    def _decided(self, condition: Value, axes: Axes) -> bool | None:
        """Whether a condition holds on all of the lanes or on none; None if neither is shown."""
        if self._is_off(condition, axes):
            return False
        if condition.op not in _COMPARED:
            return None
        try:
            one, other = (self.of(side, axes) for side in condition.operands)
        except NotKnown:
            return None
        return _COMPARED[condition.op](one, other)

    def _product(self, left: Value, right: Value, axes: Axes) -> float:
        for factor, scale in ((left, _scale(right)), (right, _scale(left))):
            if scale is not None:
                return self._scaled(self.of(factor, axes), scale)
        known: list[float] = []
        for factor in (left, right):
            try:
                known.append(self.of(factor, axes))
            except NotKnown as unknown:
                failed, name = unknown, _named(factor)
        if len(known) == 2:
            return known[0] * known[1]
        if known == [0.0] and failed.reason == _UNKNOWN:
            example = f"0 * {name} is NaN where {name} is inf, and -0.0 where it is negative"
            raise NotKnown(_UNKNOWN, example)
        raise failed

    def _scaled(self, number: float, scale: float) -> float:
        """A number times a constant, which each type rounds in its own way, but never far."""
        if number == 0.0 or (math.isinf(number) and abs(scale) >= _NEVER_ZERO):
            return number * scale
        return number * _checked(scale)

    def _same(self, one: Value, other: Value, axes: Axes) -> float:
        """Of a choice that is not decided: both sides must be one number."""
        mine, theirs = self.of(one, axes), self.of(other, axes)
        if same_number(mine, theirs):
            return mine
        raise NotKnown(_UNKNOWN, f"it is {mine} or {theirs} in inactive lanes")

    def _function(self, value: Value, axes: Axes) -> float:
        name = value.function.removeprefix("math.")
        numbers = [self.of(operand, axes) for operand in value.operands]
        match name, numbers:
            case ("abs", [x]):
                return abs(x)
            case ("floor" | "ceil", [x]):
                return x
            case ("exp" | "exp2", [x]) if x == -math.inf:
                return 0.0
            case ("sqrt" | "sqrt_rn", [x]) if x in (0.0, math.inf):
                return x
            case ("fma", [a, b, c]):
                return _checked(a * b) + c
        given = ", ".join(f"{number:g}" for number in numbers)
        raise NotKnown("function-is-rounded", f"{name}({given}) depends on the hardware")

    # Loads and masks

    def _load(self, value: Value, axes: Axes) -> float:
        load = self._facts.interpretation.loads[value.number]
        line, mask, other = load.line, load.mask or value.mask, load.other or value.other
        if value.shape is None or mask.is_none:
            raise NotKnown("load-is-not-masked", f"the load in line {line} has no mask")
        if not self._is_off(mask, axes):
            detail = f"the load in line {line} has a mask that does not imply the condition"
            raise NotKnown("different-mask", detail)
        if other.is_none:
            undefined = (
                f"the load in line {line} has no other=, so its inactive lanes are undefined"
            )
            raise NotKnown("no-other", undefined)
        return self.of(other, axes)

    def _is_off(self, mask: Value, axes: Axes) -> bool:
        """Whether a mask is false on all of the lanes."""
        table = self._facts.interpretation.table
        for pattern in axes:
            if mask.shape != ():
                mask = table.insert_axes(mask, tuple(map(bool, pattern)))
        if self._condition is None:
            return False
        if _implies(mask, self._condition):
            return True
        if not all(map(_is_of_indices, (mask, self._condition))):
            return False
        forms = self._facts.forms
        try:
            kept, on = forms.condition(self._condition), forms.condition(mask)
            implied = on * kept == on
        except TooLarge:
            return False
        return implied and all(isinstance(leaf, _STABLE_ATOMS) for leaf in kept.leaves())


def is_negative_zero(number: float) -> bool:
    return number == 0 and math.copysign(1.0, number) < 0


def same_number(one: float, other: float) -> bool:
    """Whether two numbers are the same, and zeros of the same sign."""
    return one == other and math.copysign(1.0, one) == math.copysign(1.0, other)


def is_of_all_types(number: float) -> bool:
    """Whether all element types have a number, floats of 8 bits left out."""
    return math.isinf(number) or (number.is_integer() and 0 <= number <= LARGEST)


def _checked(number: float) -> float:
    """The number, if all types have it."""
    if math.isnan(number):
        raise NotKnown("constant-is-special", "it is NaN in inactive lanes")
    if is_of_all_types(number):
        return number
    raise NotKnown(_UNKNOWN, f"{number:g} is not the same number in all element types")


def _constant(value: Value) -> float:
    if isinstance(value.constant, (bool, int, float)):
        return float(value.constant)
    raise NotKnown(_UNKNOWN, "a constant that is not a number")


def _scale(value: Value) -> float | None:
    """A constant factor that is finite in every type."""
    constant = value.constant
    if isinstance(constant, bool) or not isinstance(constant, (int, float)):
        return None
    return float(constant) if abs(constant) <= LARGEST else None


def _quotient(dividend: float, divisor: float) -> float:
    if dividend == 0.0 and 0.0 < divisor < math.inf:
        return dividend
    if divisor == 0.0 and dividend == 0.0:
        raise NotKnown("constant-is-special", "0 / 0 is NaN in inactive lanes")
    detail = f"{dividend:g} / {divisor:g} depends on the hardware"
    raise NotKnown("function-is-rounded", detail)


def _extremum(op: Op, one: float, other: float) -> float:
    if one == other and not same_number(one, other):
        raise NotKnown(_UNKNOWN, "the sign of the zero is unknown")
    return min(one, other) if op is Op.MINIMUM else max(one, other)


def _cast(number: float, value: Value) -> float:
    if value.dtype in FLOAT_BITS:
        if FLOAT_BITS[value.dtype] >= 16 or number == 0.0:
            return number
    elif value.dtype in ("bool", "int1"):
        return float(number != 0.0)
    elif value.dtype in INTEGER_DTYPES:
        if math.isfinite(number):
            return number + 0.0
    elif number in (0.0, 1.0):
        return number
    raise NotKnown(_UNKNOWN, f"{number:g} may be another number after the cast")


def _implies(mask: Value, kept: Value) -> bool:
    """Whether a mask is `kept` and more, part by part."""
    parts = set(conjuncts(mask, inner=True))
    if kept in parts:
        return True
    wanted = list(conjuncts(kept))
    # Bits of integers are another matter: 1 & 2 is false, though both are true.
    return all(part.op in COMPARISONS and part in parts for part in wanted)


def conjuncts(value: Value, *, inner: bool = False) -> Iterator[Value]:
    """The parts of a chain of `&`; with `inner` also the chains that it is made of."""
    if value.op in (Op.AND, Op.BOTH):
        if inner:
            yield value
        for operand in value.operands:
            yield from conjuncts(operand, inner=inner)
    else:
        yield value


def _is_of_indices(condition: Value) -> bool:
    """Whether nothing in a condition is known to be a float: its arithmetic is not rounded."""
    return not any(
        is_float(part.dtype) or part.dtype == "float" or part.op in (Op.DIV, Op.LOAD, Op.OPAQUE)
        for part in condition.walk()
    )


def _named(value: Value) -> str:
    """What a reader of the kernel would call it."""
    match value.op:
        case Op.CONST:
            return str(value.constant)
        case Op.PARAM | Op.CONSTEXPR | Op.GLOBAL:
            return value.name
        case Op.CARRIED | Op.RESULT:
            return value.carrier.name
        case Op.REDUCE:
            return f"the {value.reduction.name}"
    return "another value" if value.op is Op.OPAQUE else f"the result of {value.op}"


# Whether it is finite

_PASSED = frozenset({Op.FULL, Op.BROADCAST_TO, Op.INSERT_AXES, Op.POS, Op.IN_BRANCH})
_DIVISIONS = frozenset({Op.DIV, Op.FLOORDIV, Op.MOD, Op.CDIV})
_DIVIDING = frozenset({"fdiv", "div_rn"})
_TOTAL = (
    COMPARISONS
    | BITS
    | {Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.CAST, Op.MINIMUM, Op.MAXIMUM, Op.BOTH, Op.EITHER}
)
_TOTAL_FUNCTIONS = frozenset(
    {"abs", "floor", "ceil", "sin", "cos", "tanh", "erf", "sigmoid", "clamp", "fma"}
)
"""What has a finite result for all finite numbers."""

_WIDE = frozenset({"fp32", "fp64"})
_ROUNDED = frozenset({Op.LOAD, Op.WHERE, Op.PHI, Op.ADD, Op.SUB, Op.MUL, Op.DIV}) | {
    *(Op.MINIMUM, Op.MAXIMUM, Op.ELEMENTWISE)
}
_IN_ALL_TYPES = (2**-10, 2**15)
_IN_WIDE_TYPES = (2**-100, 2**100)


def is_zero_outside(
    facts: KernelFacts, value: Value, inside: Atom, varies: Callable[[Value], bool]
) -> bool:
    """Whether a value is 0 in the lanes where the indicator `inside` is 0.

    Its form says so of a number that is multiplied by the indicator; 0 times infinity is NaN. But
    what a load with `other=0.1` gives, less 0.1, is 0 in real numbers only.
    """

    def decided(condition: Value) -> int | None:
        number = put_in(facts.forms.condition(condition), {inside: 0}).constant_value
        return None if number is None else int(number)

    lanes = FilledLanes(facts, decided, varies)
    if not put_in(facts.forms.of(value), {inside: 0}).is_zero or not lanes.is_finite(value):
        return False
    return lanes.is_exact(value) or not any(map(lanes.may_round, value.walk()))


@dataclass(frozen=True)
class FilledLanes:
    """Values in the lanes where the masks of loads are off, which give their `other=` there.

    A number that is not known, but the same in all lanes, is taken to be finite, and an index is.
    """

    facts: KernelFacts
    decided: Callable[[Value], int | None]
    """What a condition is in these lanes, as far as index arithmetic tells."""
    varies: Callable[[Value], bool]
    """Whether a value may be another in these lanes than in the row."""
    _known: dict[int, float | None] = field(default_factory=dict)
    _exact: dict[int, bool] = field(default_factory=dict)

    def is_finite(self, value: Value) -> bool:
        """Whether the value is a number there, and not infinite."""
        number = self.number(value)
        return number is None or math.isfinite(number)

    def may_round(self, value: Value) -> bool:
        """Whether what comes of numbers may be rounded there, in a type that is narrow."""
        rounds = value.op in _ROUNDED and self.varies(value) and not is_integer(value.dtype)
        return rounds and not self.facts.precision.is_precise(value)

    def is_exact(self, value: Value) -> bool:
        """Whether the number is known, and no rounding goes into it in any type."""
        if value.serial not in self._exact:
            self._exact[value.serial] = self._find_exact(value)
        return self._exact[value.serial]

    def _find_exact(self, value: Value) -> bool:
        number = self.number(value)
        if number is None or not is_of_all_types(abs(number)):
            return False
        match value.op:
            case Op.CONST | Op.LOAD:
                return True
            case Op.WHERE | Op.PHI:
                decided = self.decided(value.condition)
                if decided is not None:
                    return self.is_exact(value.then if decided else value.other)
            case Op.MUL | Op.DIV if number == 0.0:
                factors = value.operands if value.op is Op.MUL else value.operands[:1]
                return any(self.number(one) == 0.0 and self.is_exact(one) for one in factors)
            case Op.CAST | Op.FULL | Op.BROADCAST_TO | Op.INSERT_AXES:
                return self.is_exact(value.operand)
            case op if op in COMPARISONS:
                return self.decided(value) is not None
        return all(map(self.is_exact, value.operands))

    def number(self, value: Value) -> float | None:
        """The number; None of one that is finite, but not known; NaN of what may be anything."""
        for part in operands_first(value, self._known):
            given = [self._known[operand.serial] for operand in part.operands]
            self._known[part.serial] = self._held(part, self._computed(part, given))
        return self._known[value.serial]

    def _computed(self, part: Value, given: Sequence[float | None]) -> float | None:
        known = [number for number in given if number is not None]
        match part.op:
            case Op.CONST:
                number = part.constant
                return float(number) if isinstance(number, (bool, int, float)) else None
            case Op.LOAD if self.varies(part):
                off = self.decided(part.mask) == 0
                return given[2] if off and not part.other.is_none else math.nan
            case op if op in COMPARISONS and (decided := self.decided(part)) is not None:
                return float(decided)
            case Op.WHERE | Op.PHI:
                return self._chosen(part, given)
            case Op.ITERATION | Op.LANE | Op.DTYPE:
                return None
            case op if op in _PASSED:
                return given[0]
        is_open = any(math.isnan(number) for number in known)
        computes = part.op is Op.CAST or function_on_numbers(part) is not None
        if computes and len(known) == len(given) and not is_open:
            return _computed_number(part, known)
        if not self.varies(part):
            return None
        if is_open:
            return math.nan
        if part.op is Op.CAST and given[0] is not None:
            return _cast_filled(part, given[0])
        return self._partly_known(part, given)

    def _partly_known(self, part: Value, given: Sequence[float | None]) -> float | None:
        infinite = [number for number in given if number is not None and math.isinf(number)]
        if infinite:
            first = part.op is Op.SUB and given[0] is not None
            return infinite[0] if part.op is Op.ADD or first else math.nan
        if part.op is Op.MUL and 0.0 in given:
            return 0.0
        name = part.function.rpartition(".")[2]
        if part.op in _DIVISIONS or name in _DIVIDING:
            divisor, value = given[1], part.operands[1]
            size = divisor is None and not self.varies(value) and not _is_of_data(value)
            return None if divisor or size else math.nan
        return None if part.op in _TOTAL or name in _TOTAL_FUNCTIONS else math.nan

    def _chosen(self, part: Value, given: Sequence[float | None]) -> float | None:
        condition, then, other = given
        decided = self.decided(part.condition)
        if decided is None and condition is not None and not math.isnan(condition):
            decided = int(condition != 0.0)
        if decided is not None:
            return then if decided else other
        bad = [n for n in (then, other) if n is not None and not math.isfinite(n)]
        return math.nan if bad else then if then == other else None

    def _held(self, part: Value, number: float | None) -> float | None:
        """The number, if the type of the value has one near it; NaN otherwise."""
        if number is None or number == 0.0 or not math.isfinite(number):
            return number
        if part.op is Op.CONST or is_integer(part.dtype):
            return number
        wide = part.dtype in _WIDE or self.facts.types.of(part).all_in(_WIDE)
        least, most = _IN_WIDE_TYPES if wide else _IN_ALL_TYPES
        return number if least <= abs(number) <= most else math.nan


def _is_of_data(value: Value) -> bool:
    """Whether a value comes from memory, which may hold 0."""
    return any(part.op in (Op.LOAD, Op.REDUCE) for part in value.walk())


def _computed_number(part: Value, given: Sequence[float]) -> float | None:
    """What comes of numbers; NaN where they have no result, or rounding decides."""
    if part.op is Op.CAST:
        return _cast_filled(part, given[0])
    compute = function_on_numbers(part)
    assert compute is not None
    try:
        number = float(compute(*given))
    except (ArithmeticError, ValueError, TypeError):
        return math.nan
    largest = max(map(abs, given))
    cancelled = part.op in (Op.ADD, Op.SUB) and 0 < abs(number) < largest / 1024
    return math.nan if cancelled else number


def _cast_filled(part: Value, number: float) -> float | None:
    if is_integer(part.dtype):
        return float(int(number)) if math.isfinite(number) else math.nan
    known = part.dtype is not None or number in (0.0, 1.0)
    return number if known else None if math.isfinite(number) else math.nan
