"""What the lanes behind the end of a row hold: numbers that come from `other=` of their loads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.memory.zeros import put_in
from tritonopt.facts.operations import BITS, COMPARISONS, Op
from tritonopt.facts.repetition import function_on_numbers
from tritonopt.facts.values import is_integer, operands_first

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
_IN_ALL_TYPES = (2**-10, 2**15)
_IN_WIDE_TYPES = (2**-100, 2**100)


def is_zero_outside(
    facts: KernelFacts, value: Value, inside: Atom, varies: Callable[[Value], bool]
) -> bool:
    """Whether a value is 0 in the lanes where the indicator `inside` is 0.

    Its form says so of a number that is multiplied by the indicator; 0 times infinity is NaN.
    """

    def decided(condition: Value) -> int | None:
        number = put_in(facts.forms.condition(condition), {inside: 0}).constant_value
        return None if number is None else int(number)

    is_zero = put_in(facts.forms.of(value), {inside: 0}).is_zero
    return is_zero and FilledLanes(facts, decided, varies).is_finite(value)


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

    def is_finite(self, value: Value) -> bool:
        """Whether the value is a number there, and not infinite."""
        number = self._number(value)
        return number is None or math.isfinite(number)

    def _number(self, value: Value) -> float | None:
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
            case Op.WHERE | Op.PHI:
                return self._chosen(part, given)
            case Op.ITERATION | Op.LANE | Op.DTYPE:
                return None
            case op if op in _PASSED:
                return given[0]
        is_open = any(math.isnan(number) for number in known)
        computes = part.op is Op.CAST or function_on_numbers(part) is not None
        if computes and len(known) == len(given) and not is_open:
            return _result(part, known)
        if not self.varies(part):
            return None
        if is_open:
            return math.nan
        if part.op is Op.CAST and given[0] is not None:
            return _cast(part, given[0])
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


def _result(part: Value, given: Sequence[float]) -> float | None:
    """What comes of numbers; NaN where they have no result, or rounding decides."""
    if part.op is Op.CAST:
        return _cast(part, given[0])
    compute = function_on_numbers(part)
    assert compute is not None
    try:
        number = float(compute(*given))
    except (ArithmeticError, ValueError, TypeError):
        return math.nan
    largest = max(map(abs, given))
    cancelled = part.op in (Op.ADD, Op.SUB) and 0 < abs(number) < largest / 1024
    return math.nan if cancelled else number


def _cast(part: Value, number: float) -> float | None:
    if is_integer(part.dtype):
        return float(int(number)) if math.isfinite(number) else math.nan
    known = part.dtype is not None or number in (0.0, 1.0)
    return number if known else None if math.isfinite(number) else math.nan
