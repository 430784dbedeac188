"""The form of a value from those of its operands: a rule for each operation."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from tritonopt.facts.algebra.atoms import (
    Attribute,
    Axes,
    Call,
    Compared,
    Constant,
    Converted,
    DType,
    FloorDiv,
    Global,
    Iteration,
    Lane,
    Loaded,
    Math,
    Maximum,
    Minimum,
    Mod,
    NumPrograms,
    Param,
    PowerOfTwo,
    ProgramId,
    Reduced,
    Rounded,
    Undef,
)
from tritonopt.facts.algebra.polynomial import ONE, Argument, Polynomial
from tritonopt.facts.algebra.variation import (
    bind_lane,
    fresh_lane,
    has_unknown_axes,
    hide_lanes,
    move_axes,
    sum_over_lanes,
)
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import FLOAT_BITS, Value, is_integer

if TYPE_CHECKING:
    from tritonopt.facts.algebra.forms import Forms

Rule: TypeAlias = "Callable[[Forms, Value], Polynomial]"

MAX_POWER = 4
_WIDE_INTEGERS = frozenset({"int32", "int64"})


# What has no operands, or a name of its own


def _constant(forms: Forms, value: Value) -> Polynomial:
    constant = value.constant
    if isinstance(constant, (bool, int)):
        return Polynomial.constant(int(constant))
    if isinstance(constant, float) and math.isfinite(constant):
        return Polynomial.constant(Fraction(constant))
    return Polynomial.of(Constant(repr(constant)))


# The operations of a ring


def _bits(forms: Forms, value: Value) -> Polynomial:
    """Arithmetic on single bits, which is no ring operation: True + True is False."""
    inside = tuple(forms.of(o) for o in value.operands)
    return Polynomial.of(Math(f"bit {value.op}", inside))


def _unless_bits(operation: Callable[..., Polynomial]) -> Rule:
    """The rule of an operation that is the ring's but for single bits."""

    def rule(forms: Forms, value: Value) -> Polynomial:
        if forms.facts.truth_values.wraps(value):
            return _bits(forms, value)
        return operation(*map(forms.of, value.operands))

    return rule


def _power(forms: Forms, value: Value) -> Polynomial:
    base, exponent = value.operands
    if exponent.constant in range(MAX_POWER + 1):
        return forms.of(base).power(int(exponent.constant))  # type: ignore[call-overload]
    return forms.unknown(value)


def _choice(forms: Forms, value: Value) -> Polynomial:
    if _is_pointer(forms, value):
        return forms.unknown(value)
    condition, then, other = value.operands
    chosen = forms.condition(condition)
    return chosen * forms.of(then) + (ONE - chosen) * forms.of(other)


def _is_pointer(forms: Forms, value: Value) -> bool:
    pointers = forms.facts.pointers
    return any(leaf.op is Op.PARAM and leaf.name in pointers for leaf in value.walk()) and not any(
        leaf.op is Op.LOAD for leaf in value.walk()
    )


# Operations that are not the ring's


def _extremum(forms: Forms, value: Value) -> Polynomial:
    left, right = sorted((forms.of(o) for o in value.operands), key=lambda side: side.key)
    kind = Minimum if value.op is Op.MINIMUM else Maximum
    return Polynomial.of(kind(left, right, str(value.attribute or "")))


def _rounding(forms: Forms, value: Value, dividend: Polynomial, divisor: Polynomial) -> str:
    """How a quotient of integers is rounded; "" where it does not matter.

    Python rounds down, and so does the compiler where it knows both sides; compiled code
    rounds toward zero. The two differ where just one side is negative.
    """
    if forms.is_nonnegative(dividend) and forms.is_nonnegative(divisor):
        return ""
    return forms.facts.binding_times.of(value)


def _whole_quotient(
    forms: Forms, value: Value, dividend: Polynomial, divisor: Polynomial
) -> Polynomial:
    if divisor == ONE:
        return dividend
    rounding = _rounding(forms, value, dividend, divisor)
    a, b = dividend.constant_value, divisor.constant_value
    if a is not None and b and rounding != "either":
        return Polynomial.constant(math.trunc(a / b) if rounding == "runtime" else a // b)
    return Polynomial.of(FloorDiv(dividend, divisor, rounding))


def _division(forms: Forms, value: Value) -> Polynomial:
    """`a // b`"""
    dividend, divisor = value.operands
    return _whole_quotient(forms, value, forms.of(dividend), forms.of(divisor))


def _remainder(forms: Forms, value: Value) -> Polynomial:
    """`a % b`"""
    dividend, divisor = (forms.of(o) for o in value.operands)
    rounding = _rounding(forms, value, dividend, divisor)
    return Polynomial.of(Mod(dividend, divisor, rounding))


def _ceiling_quotient(forms: Forms, value: Value) -> Polynomial:
    """`tl.cdiv(a, b)`, as Triton defines it: no ceiling where the dividend is negative."""
    dividend, divisor = forms.of(value.left), forms.of(value.right)
    return _whole_quotient(forms, value, dividend + divisor - 1, divisor)


def _function(forms: Forms, value: Value) -> Polynomial:
    """A function that is applied lane by lane."""
    arguments = [forms.of(o) for o in value.operands]
    if value.attribute == "python.triton.next_power_of_2" and len(arguments) == 1:
        return _power_of_two(arguments[0])
    if value.attribute == "fma" and len(arguments) == 3:
        return arguments[0] * arguments[1] + arguments[2]
    return Polynomial.of(Math(str(value.attribute), tuple(arguments)))


def _power_of_two(form: Polynomial) -> Polynomial:
    """The least power of two that is not below the form."""
    number = form.constant_value
    if number is not None and number.denominator == 1 and number > 0:
        return Polynomial.constant(1 << (int(number) - 1).bit_length())
    return Polynomial.of(PowerOfTwo(form))


def _bitwise(forms: Forms, value: Value) -> Polynomial:
    """`a & b`, which is a condition only where both are: `(a < b) & 1` is of one bit too."""
    if all(forms.facts.truth_values.is_boolean(o) for o in value.operands):
        return forms.condition(value)
    return _function_of_bits(forms, value)


def _logic(forms: Forms, value: Value) -> Polynomial:
    if forms.facts.truth_values.is_boolean(value):
        return forms.condition(value)
    return _function_of_bits(forms, value)


def _function_of_bits(forms: Forms, value: Value) -> Polynomial:
    return Polynomial.of(Math(value.op.value, tuple(forms.of(o) for o in value.operands)))


def _identity(forms: Forms, value: Value) -> Polynomial:
    """`a is b`, `a is not b`"""
    left, right = (forms.of(o) for o in value.operands)
    holds = Polynomial.of(Compared("is", left, right))
    return holds if value.op is Op.IS else ONE - holds


# Conversions


def _full(forms: Forms, value: Value) -> Polynomial:
    """The filler, as far as its conversion to the tile's type leaves it what it is."""
    form = forms.of(value.operand)
    constant = form.constant_value
    bits = FLOAT_BITS.get(value.dtype or "", 0)
    small = constant is not None and constant.denominator == 1 and abs(constant) <= 256
    infinite = isinstance(form.sole_atom, Constant)
    if constant in (0, 1) or bits >= 32 or (bits == 16 and (small or infinite)):
        return form
    if value.dtype in _WIDE_INTEGERS and forms.is_integer(form):
        return form
    return forms.unknown(value)


def _cast(forms: Forms, value: Value) -> Polynomial:
    operand, dtype = value.operands
    form = forms.of(operand)
    target = dtype.name if dtype.op is Op.DTYPE else None
    if target is None:
        return Polynomial.of(Converted(forms.of(dtype), form))
    if target in FLOAT_BITS:
        if FLOAT_BITS[target] >= 32 or operand.dtype == target:
            return form
        return Polynomial.of(Rounded(target, form))
    if target == "int1":
        return forms.condition(operand)
    if operand.dtype == target or forms.facts.truth_values.is_boolean(operand):
        return form
    # Index arithmetic is taken not to overflow 32 bits, but narrower types are meant to wrap,
    # and an unsigned one turns a negative number into a large one.
    wide = target in _WIDE_INTEGERS or (
        target in ("uint32", "uint64") and forms.is_nonnegative(form)
    )
    if wide and (is_integer(operand.dtype) or forms.is_integer(form)):
        return form
    return Polynomial.of(Converted(target, form))


# Lanes


def _broadcast(forms: Forms, value: Value) -> Polynomial:
    form = forms.of(value.operand)
    return forms.unknown(value) if has_unknown_axes(form) else form


def _insert_axes(forms: Forms, value: Value) -> Polynomial:
    pattern = value.pattern
    own = [i for i, new in enumerate(pattern) if not new]
    rank, result_rank = len(own), len(pattern)
    moved = {rank - 1 - i: result_rank - 1 - place for i, place in enumerate(own)}
    form = forms.of(value.operand)
    return forms.unknown(value) if has_unknown_axes(form) else move_axes(form, moved)


def _reduction(forms: Forms, value: Value) -> Polynomial:
    name, axes, keep = value.reduction
    operand = value.operand
    assert operand.shape is not None
    rank = len(operand.shape)
    form = forms.of(operand)
    if has_unknown_axes(form):
        return forms.unknown(value)
    from_right = sorted((rank - 1 - axis for axis in axes), reverse=True)
    for axis in from_right:
        extent = forms.of(operand.shape[rank - 1 - axis])
        if name == "sum":
            form = sum_over_lanes(form, axis, extent)
        else:
            lane = fresh_lane(form, extent)
            inside = form.map(partial(bind_lane, axis=axis, bound=lane))
            form = Polynomial.of(Reduced(name, lane, extent, inside))
        if not keep:
            form = move_axes(form, {a: a - 1 for a in range(axis + 1, rank)})
    return form


def _call(forms: Forms, value: Value) -> Polynomial:
    """What is computed from its operands alone, and in which order their lanes are used."""
    arguments = tuple((hide_lanes(forms.of(o)), _shape(forms, o)) for o in value.operands)
    kind = Attribute if value.op is Op.ATTRIBUTE else Call
    return Polynomial.of(kind(value.op.value, (str(value.attribute), *arguments)))


def _shape(forms: Forms, value: Value) -> Argument:
    """What tells operands of one form apart: `x` and `x[None, :]` have other axes."""
    if value.shape is None:
        return ("value", value.serial)
    return tuple(forms.of(extent) for extent in value.shape)


# Memory


def _load(forms: Forms, value: Value) -> Polynomial:
    effect = forms.facts.interpretation.loads[value.number]
    pointer, mask, other = value.operands
    if effect.volatile or value.shape is None:
        return forms.unknown(value)
    base, offset = forms.address(pointer)
    version: Argument = ()
    if forms.memory:
        order, varying = forms.facts.memory_version(effect)
        version = (order, *(Iteration(loop.identity) for loop in varying))
    atom = Loaded(base or "", offset, version)
    if value.number in forms.facts.integers.loads:
        forms.signs.integer_loads.add(atom)
    element = Polynomial.of(atom)
    if mask.is_none:
        return element
    on = forms.condition(mask)
    if other.is_none:
        depends = tuple(Iteration(loop.identity) for loop in effect.loops)
        filler = Polynomial.of(Undef(effect.order, axes_of(value), depends))
    else:
        filler = forms.of(other)
    return on * element + (ONE - on) * filler


def axes_of(value: Value) -> Axes:
    """The axes that a value of its own lies along, counted from the right."""
    return "unknown" if value.rank is None else tuple(reversed(range(value.rank)))


RULES: Mapping[Op, Rule] = {
    Op.CONST: _constant,
    Op.PARAM: lambda _, value: Polynomial.of(Param(value.name)),
    Op.CONSTEXPR: lambda _, value: Polynomial.of(Param(value.name)),
    Op.GLOBAL: lambda _, value: Polynomial.of(Global(value.name)),
    Op.DTYPE: lambda _, value: Polynomial.of(DType(value.name)),
    Op.PROGRAM_ID: lambda forms, value: Polynomial.of(ProgramId(forms.of(value.axis))),
    Op.NUM_PROGRAMS: lambda forms, value: Polynomial.of(NumPrograms(forms.of(value.axis))),
    Op.LANE: lambda forms, value: Polynomial.of(Lane(forms.of(value.extent), 0)),
    Op.ITERATION: lambda _, value: Polynomial.of(Iteration(value.number)),
    Op.ADD: _unless_bits(operator.add),
    Op.SUB: _unless_bits(operator.sub),
    Op.NEG: _unless_bits(operator.neg),
    Op.MUL: lambda forms, value: forms.of(value.left) * forms.of(value.right),
    Op.DIV: lambda forms, value: forms.of(value.left) * forms.of(value.right).inverse(),
    Op.POW: _power,
    Op.POS: lambda forms, value: forms.of(value.operand),
    Op.IN_BRANCH: lambda forms, value: forms.of(value.operand),
    Op.WHERE: _choice,
    Op.PHI: _choice,
    Op.MINIMUM: _extremum,
    Op.MAXIMUM: _extremum,
    Op.FLOORDIV: _division,
    Op.MOD: _remainder,
    Op.CDIV: _ceiling_quotient,
    Op.ELEMENTWISE: _function,
    **dict.fromkeys(COMPARISONS, lambda forms, value: forms.condition(value)),
    **dict.fromkeys((Op.AND, Op.OR, Op.XOR), _bitwise),
    **dict.fromkeys((Op.INVERT, Op.NOT, Op.BOTH, Op.EITHER), _logic),
    Op.SHL: _function_of_bits,
    Op.SHR: _function_of_bits,
    Op.IS: _identity,
    Op.IS_NOT: _identity,
    Op.FULL: _full,
    Op.CAST: _cast,
    Op.BROADCAST_TO: _broadcast,
    Op.INSERT_AXES: _insert_axes,
    Op.REDUCE: _reduction,
    **dict.fromkeys((Op.RESHAPED, Op.ONE_OF, Op.PART, Op.ELEMENT, Op.ATTRIBUTE, Op.TUPLE), _call),
    Op.LOAD: _load,
    Op.CARRIED: lambda forms, value: forms.recurrences.carried(value),
    Op.RESULT: lambda forms, value: forms.recurrences.result(value),
}
"""By operation; what has no rule is not understood."""
