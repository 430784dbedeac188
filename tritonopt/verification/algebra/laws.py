"""What each operation of the interpreter does to residues. The laws that hold are these alone.

Every function is given the run that it belongs to, what the operation made of the values, and its
operands as the interpreter has them. See docs/algebra.md for why each law holds.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tritonopt.verification.algebra import field
from tritonopt.verification.algebra.field import (
    EXPONENTIAL,
    NUMBER,
    VARIABLE,
    Carried,
    is_float,
    largest_degree,
    of_integers,
    of_whole_floats,
    reals_of,
    width_of,
)
from tritonopt.verification.algebra.following import Run

Law = Callable[..., Carried]

_VANISHES = -746.0
"""Exponentials of less are 0 in float64 too: sentinels for what is masked, not data."""


def _binary(combine: Callable[[Carried, Carried], Carried]) -> Law:
    return lambda run, result, left, right: combine(run.of(left), run.of(right))


def _divide(run: Run, result: Any, left: Any, right: Any) -> Carried:
    return run.of(left).times(inverse(run, run.of(right), reals_of(right)))


def inverse(run: Run, carried: Carried, values: Any) -> Carried:
    """1 / x: 0 of what is infinite, and a symbol of its own of what is 0."""
    found = carried.inverted()
    none = carried.residues[1] == 0
    if none.any():
        symbol = run.ring.uninterpreted("1 / 0", np.zeros_like(carried.residues))
        found = found.of(np.where(none, symbol, found.residues))
    infinite = np.isinf(values)
    if infinite.any():
        found = found.of(np.where(infinite, np.uint64(0), found.residues))
    return found


def _exponential(base_of_two: bool) -> Law:
    vanishes = _VANISHES / math.log(2) if base_of_two else _VANISHES

    def law(run: Run, result: Any, exponent: Any) -> Carried:
        carried = run.of(exponent)
        residues = run.ring.scaled(carried.residues, -1) if base_of_two else carried.residues
        return exponential(run, residues, reals_of(exponent) < vanishes)

    return law


def exponential(run: Run, exponents: Any, vanishing: Any) -> Carried:
    found = run.ring.exponential(exponents)
    if np.any(vanishing):
        found = np.where(vanishing, np.uint64(0), found)
    return Carried(found, EXPONENTIAL)


def _logarithm(base_of_two: bool) -> Law:
    def law(run: Run, result: Any, argument: Any) -> Carried:
        found = run.ring.uninterpreted("log", run.of(argument).residues)
        return Carried(run.ring.scaled(found, 1) if base_of_two else found, VARIABLE)

    return law


def root(carried: Carried) -> Carried:
    """A function of its own, but that it goes through products and knows simple squares."""
    return Carried(field.root(carried.residues), VARIABLE)


def uninterpreted(name: str) -> Law:
    def law(run: Run, result: Any, *arguments: Any) -> Carried:
        carried = [run.of(a).with_axes(np.ndim(result.data)) for a in arguments if is_float(a)]
        return Carried(run.ring.uninterpreted(name, *(c.residues for c in carried)), VARIABLE)

    return law


def symmetric(name: str, *, odd: bool) -> Law:
    """An uninterpreted function of which it is known what -x gives: f(x), or -f(x)."""

    def law(run: Run, result: Any, argument: Any) -> Carried:
        carried = run.of(argument)
        mirrored = carried.residues[1] > np.uint64(field.P // 2)
        level = np.where(mirrored, field.negate(carried.residues), carried.residues)
        found = Carried(run.ring.uninterpreted(name, level), VARIABLE)
        return found.negated().where(mirrored, found) if odd else found

    return law


def _absolute(run: Run, result: Any, argument: Any) -> Carried:
    carried = run.of(argument)
    return carried.negated().where(reals_of(argument) < 0, carried)


def _whole(run: Run, result: Any, *arguments: Any) -> Carried:
    """What rounds to a whole number gives just that number."""
    return Carried(of_whole_floats(reals_of(result)), NUMBER)


def _extreme(is_it: Callable[[Any, Any], Any]) -> Law:
    """The first of two where it is the larger or the smaller one, or the other is NaN."""

    def law(run: Run, result: Any, left: Any, right: Any) -> Carried:
        ours, theirs = reals_of(left), reals_of(right)
        return run.of(left).where(is_it(ours, theirs) | np.isnan(theirs), run.of(right))

    return law


def _clamped(run: Run, result: Any, argument: Any, low: Any, high: Any, *rest: Any) -> Carried:
    values, lowest, highest = map(reals_of, (argument, low, high))
    found = run.of(low).where(values < lowest, run.of(argument))
    return run.of(high).where(values > highest, found)


def _from_integer(run: Run, result: Any, source: Any, *rest: Any) -> Carried:
    return Carried(of_integers(source.data), NUMBER)


def _cast(run: Run, result: Any, source: Any, *rest: Any) -> Carried:
    """Widening keeps a number; narrowing does where the number is one of the narrower type."""
    if not is_float(source):
        return _from_integer(run, result, source)
    carried = run.of(source)
    if result.dtype.scalar == source.dtype.scalar or width_of(result) > width_of(source):
        return carried
    return narrowed(run, carried, reals_of(source), reals_of(result), result.dtype.scalar.name)


def narrowed(run: Run, carried: Carried, values: Any, rounded: Any, name: str) -> Carried:
    """What numbers carry that were rounded to a narrower type of this name."""
    exact = (rounded == values) | ~np.isfinite(values)
    exact &= run.is_its_value(carried, values)
    if exact.all():
        return carried
    found = run.ring.uninterpreted(f"to {name}", carried.residues)
    return Carried(np.where(exact, carried.residues, found), VARIABLE.largest(carried.degree))


def _bitcast(run: Run, result: Any, source: Any, *rest: Any) -> Carried:
    if is_float(source) and source.dtype.scalar == result.dtype.scalar:
        return run.of(source)
    return run.memory.of_values(reals_of(result))


def _dot(run: Run, result: Any, left: Any, right: Any, added: Any, *rest: Any) -> Carried:
    a, b = run.of(left), run.of(right)
    products = Carried(
        field.product(a.residues, b.residues),
        a.degree.times(b.degree).summed(a.shape[-1]),
    )
    return products.plus(run.of(added))


# Arrangements


def _first(run: Run, result: Any, *operands: Any) -> Carried:
    """One number everywhere; the type that it is given to comes before it."""
    carried = run.of(operands[-1])
    return carried.of(carried.residues.reshape(2, -1)[:, 0]).spread(result.data.shape)


def _reshaped(run: Run, result: Any, argument: Any, *rest: Any) -> Carried:
    carried = run.of(argument)
    return carried.of(carried.residues.reshape(2, *result.data.shape))


def _transposed(run: Run, result: Any, argument: Any, order: Any) -> Carried:
    carried = run.of(argument)
    return carried.of(carried.residues.transpose(0, *(int(axis) + 1 for axis in order)))


def _joined(how: Callable[[list[Any]], Any]) -> Law:
    def law(run: Run, result: Any, left: Any, right: Any) -> Carried:
        both = [run.of(left), run.of(right)]
        return Carried(how([c.residues for c in both]), largest_degree(both))

    return law


def _gathered(run: Run, result: Any, source: Any, indices: Any, axis: int) -> Carried:
    carried = run.of(source)
    at = np.broadcast_to(indices.data, (2, *indices.data.shape))
    along = axis % np.ndim(source.data) + 1
    return carried.of(np.take_along_axis(carried.residues, at, axis=along))


LAWS: Mapping[str, Law] = {
    "fadd": _binary(Carried.plus),
    "fsub": _binary(Carried.minus),
    "fmul": _binary(Carried.times),
    "fdiv": _divide,
    "precise_divf": _divide,
    "fma": lambda run, _, one, other, more: run.of(one).times(run.of(other)).plus(run.of(more)),
    "dot": _dot,
    "exp": _exponential(base_of_two=False),
    "exp2": _exponential(base_of_two=True),
    "log": _logarithm(base_of_two=False),
    "log2": _logarithm(base_of_two=True),
    "sqrt": lambda run, _, one: root(run.of(one)),
    "precise_sqrt": lambda run, _, one: root(run.of(one)),
    "rsqrt": lambda run, _, one: inverse(run, root(run.of(one)), reals_of(one)),
    "sin": symmetric("sin", odd=True),
    "cos": symmetric("cos", odd=False),
    "erf": symmetric("erf", odd=True),
    "frem": uninterpreted("frem"),
    "fabs": _absolute,
    "floor": _whole,
    "ceil": _whole,
    "maximumf": _extreme(np.greater_equal),
    "maxnumf": _extreme(np.greater_equal),
    "minimumf": _extreme(np.less_equal),
    "minnumf": _extreme(np.less_equal),
    "clampf": _clamped,
    "select": lambda run, _, test, one, other: run.of(one).where(test.data, run.of(other)),
    "si_to_fp": _from_integer,
    "ui_to_fp": _from_integer,
    "fp_ext": _cast,
    "fp_trunc": _cast,
    "fp_to_fp": _cast,
    "bitcast": _bitcast,
    "int_to_ptr": _bitcast,
    "ptr_to_int": _bitcast,
    "splat": _first,
    "unsplat": _first,
    "broadcast": lambda run, result, one, *_: run.of(one).spread(result.data.shape),
    "expand_dims": _reshaped,
    "reshape": _reshaped,
    "trans": _transposed,
    "cat": _joined(lambda both: np.concatenate(both, axis=1)),
    "join": _joined(lambda both: np.stack(both, axis=-1)),
    "gather": _gathered,
}
"""By the name of the operation in Triton's builder, without `create_`."""


# The functions of libdevice on residues: those that are arithmetic, and the rest uninterpreted.

_SAME: Mapping[str, str] = {
    "fast_expf": "exp", "fast_logf": "log", "fast_log2f": "log2", "sqrt_rn": "sqrt",
    "rsqrt_rn": "rsqrt", "div_rn": "fdiv", "fast_dividef": "fdiv", "add_rn": "fadd",
    "sub_rn": "fsub", "mul_rn": "fmul", "abs": "fabs", "fmod": "frem", "fast_sinf": "sin",
    "fast_cosf": "cos",
}  # fmt: skip
"""What the interpreter's builder has under another name."""
_ALIASES: Mapping[str, str] = {
    "fast_tanhf": "tanh", "fast_powf": "pow", "fast_tanf": "tan", "fast_log10f": "log10",
    "fast_exp10f": "exp10",
}  # fmt: skip
_WHOLE = ("floor", "ceil", "trunc", "rint", "nearbyint", "round")
_MOST = 64
"""Up to so high a power is a product."""


def follow(run: Run, name: str, operands: tuple[Any, ...], result: Any) -> None:
    """A function of libdevice gave this, of tensors of the language or of numbers."""
    handle = result.handle
    if not is_float(handle):
        return
    name = _ALIASES.get(name, name)
    semantic: Any = importlib.import_module("triton.runtime.interpreter").interpreter_semantic
    handles = [semantic.to_tensor(operand).handle for operand in operands]
    law = _LAWS.get(name) or LAWS.get(_SAME.get(name, name)) or uninterpreted(name)
    if name in _WHOLE:
        run.rounded(handles[0], reals_of(handle))
        run.give(handle, Carried(of_whole_floats(reals_of(handle))))
        return
    run.give(handle, law(run, handle, *handles))
    run.note(name, handle, handles)


def _one(run: Run) -> Carried:
    return Carried(run.ring.of_constant(1.0, 0))


def _log_of_one_more(run: Run, result: Any, argument: Any) -> Carried:
    more = run.of(argument).plus(_one(run))
    return Carried(run.ring.uninterpreted("log", more.residues), more.degree)


def _exponentials(run: Run, argument: Any) -> tuple[Carried, Carried]:
    carried, values = run.of(argument), reals_of(argument)
    rising = exponential(run, carried.residues, np.isneginf(values))
    falling = exponential(run, carried.negated().residues, np.isposinf(values))
    return rising, falling


def _hyperbolic_tangent(run: Run, result: Any, argument: Any) -> Carried:
    rising, falling = _exponentials(run, argument)
    below = rising.plus(falling)
    return rising.minus(falling).times(inverse(run, below, np.ones(below.shape)))


def _half(sign: int) -> Callable[..., Carried]:
    def law(run: Run, result: Any, argument: Any) -> Carried:
        rising, falling = _exponentials(run, argument)
        both = rising.plus(falling) if sign > 0 else rising.minus(falling)
        return both.times(Carried(run.ring.of_constant(0.5, 0)))

    return law


def _power(run: Run, result: Any, base: Any, exponent: Any) -> Carried:
    """A product, where the exponent is one small whole number; else nothing is known of it."""
    powers = np.unique(reals_of(exponent)) if exponent.data.size else np.zeros(1)
    times = float(powers[0])
    if powers.size != 1 or times != int(times) or not 0 < abs(times) <= _MOST:
        if powers.size == 1 and times == 0.5:
            return LAWS["sqrt"](run, result, base)
        return uninterpreted("pow")(run, result, base, exponent)
    found = factor = run.of(base)
    for _ in range(abs(int(times)) - 1):
        found = found.times(factor)
    return found if times > 0 else inverse(run, found, reals_of(base))


def _with_sign(run: Run, result: Any, size: Any, sign: Any) -> Carried:
    carried = run.of(size)
    same = np.signbit(reals_of(size)) == np.signbit(reals_of(sign))
    return carried.where(same, carried.negated())


def _saturated(run: Run, result: Any, argument: Any) -> Carried:
    values, carried = reals_of(argument), run.of(argument)
    zero = Carried(run.ring.of_constant(0.0, 0))
    return _one(run).where(values > 1, zero.where(values < 0, carried))


_ODD = ("tan", "asin", "atan", "asinh", "atanh", "cbrt")

_LAWS: Mapping[str, Callable[..., Carried]] = {
    **{name: symmetric(name, odd=True) for name in _ODD},
    "expm1": lambda run, result, one: LAWS["exp"](run, result, one).minus(_one(run)),
    "log1p": _log_of_one_more,
    "tanh": _hyperbolic_tangent,
    "sinh": _half(-1),
    "cosh": _half(1),
    "rcp_rn": lambda run, _, one: inverse(run, run.of(one), reals_of(one)),
    "pow": _power,
    "copysign": _with_sign,
    "saturatef": _saturated,
}
