"""The functions of libdevice on residues: those that are arithmetic, and the rest uninterpreted."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tritonopt.verification.algebra.carried import Carried
from tritonopt.verification.algebra.field import is_float, reals_of
from tritonopt.verification.algebra.following import Run
from tritonopt.verification.algebra.laws import LAWS, exponential, inverse, symmetric, uninterpreted
from tritonopt.verification.algebra.ring import of_whole_floats

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


def _exp_less_one(run: Run, result: Any, argument: Any) -> Carried:
    return LAWS["exp"](run, result, argument).minus(_one(run))


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


def _inverse(run: Run, result: Any, argument: Any) -> Carried:
    return inverse(run, run.of(argument), reals_of(argument))


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
    "expm1": _exp_less_one,
    "log1p": _log_of_one_more,
    "tanh": _hyperbolic_tangent,
    "sinh": _half(-1),
    "cosh": _half(1),
    "rcp_rn": _inverse,
    "pow": _power,
    "copysign": _with_sign,
    "saturatef": _saturated,
}
