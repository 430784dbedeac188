"""The functions of libdevice on Triton's interpreter, which has none of them.

Left alone they return None there, and the kernel fails at the next line. What numpy or
`math` compute as well is computed; the rest is refused, by name.
"""

from __future__ import annotations

import contextlib
import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np

from tritonopt.verification.worker.triton_interpreter import bfloat16
from tritonopt.verification.worker.triton_interpreter.corrected import Refused

_MODULES = ("triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice")

_SQRT_PI = math.sqrt(math.pi)


def _gamma(x: float) -> float:
    if math.isinf(x):
        return x if x > 0 else math.nan
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x == 0 else math.nan


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


def _scaled_erfc(x: float) -> float:
    """exp(x * x) * erfc(x)."""
    if x > 20:
        # Of the asymptotic series three terms are enough here.
        return (1 - 0.5 / x**2 + 0.75 / x**4) / (x * _SQRT_PI)
    return math.exp(x * x) * math.erfc(x) if x > -26 else (math.nan if x != x else math.inf)


def _inverse_normal(x: float) -> float:
    if not 0 < x < 1:
        return {0.0: -math.inf, 1.0: math.inf}.get(x, math.nan)
    return NormalDist().inv_cdf(x)


def _inverse_erf(x: float) -> float:
    return _inverse_normal((x + 1) / 2) / math.sqrt(2)


def _each(function: Callable[[float], float]) -> Callable[..., Any]:
    """A function of one number, for each element."""
    return np.vectorize(function, otypes=[float])


def _rounded(x: Any) -> Any:
    """To the nearest whole number, halves away from 0."""
    # 0.49999997 + 0.5 is 1 in float32.
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


def _cut_off(x: Any, y: Any) -> Any:
    """The quotient rounded toward 0: the nearest number, or the one before it."""
    nearest = x / y
    if x.dtype == np.float64:
        beyond = np.vectorize(_is_beyond, otypes=[bool])(nearest, x, y)
    else:
        # Two numbers of 24 bits have no quotient so near to a third that float64 takes it for that.
        beyond = np.abs(nearest) > np.abs(x.astype(np.float64) / y)
    return np.where(beyond, np.nextafter(nearest, np.zeros_like(nearest)), nearest)


def _is_beyond(quotient: float, x: float, y: float) -> bool:
    """Whether a quotient is farther from 0 than x / y."""
    if not (math.isfinite(x) and math.isfinite(y) and y):
        return False
    return math.isinf(quotient) or abs(Fraction(quotient) * Fraction(y)) > abs(Fraction(x))


_SAME_TYPE: Mapping[str, Callable[..., Any]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt, "sqrt_rn": np.sqrt, "cbrt": np.cbrt,
    "rcbrt": lambda x: 1 / np.cbrt(x), "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: 10.0**x,
    "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "erf": _each(math.erf), "erfc": _each(math.erfc),
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "nearbyint": np.rint,
    "abs": np.abs, "fabs": np.abs, "fast_expf": np.exp, "fast_tanhf": np.tanh,
    "fast_logf": np.log, "fast_sinf": np.sin, "fast_cosf": np.cos, "fast_tanf": np.tan,
    "fast_log2f": np.log2, "fast_log10f": np.log10, "fast_exp10f": lambda x: 10.0**x,
    "pow": np.power, "fast_powf": np.power, "atan2": np.arctan2, "fmod": np.fmod,
    "hypot": np.hypot, "copysign": np.copysign, "div_rn": np.divide, "fast_dividef": np.divide,
    "add_rn": np.add, "sub_rn": np.subtract, "mul_rn": np.multiply, "rcp_rn": lambda x: 1 / x,
    "rsqrt_rn": lambda x: 1 / np.sqrt(x), "round": _rounded, "nextafter": np.nextafter,
    "fdim": lambda x, y: np.where(np.isnan(x - y), x - y, np.maximum(x - y, 0)),
    "remainder": lambda x, y: x - np.rint(x / y) * y,
    "fma": lambda x, y, z: x.astype(np.float64) * y + z,
    "saturatef": lambda x: np.fmin(np.fmax(x, 0), 1),
    "sinpi": lambda x: np.sin(np.pi * np.remainder(x, 2)),
    "cospi": lambda x: np.cos(np.pi * np.remainder(x, 2)),
    "rhypot": lambda x, y: 1 / np.hypot(x, y), "tgamma": _each(_gamma), "lgamma": _each(_lgamma),
    "erfcx": _each(_scaled_erfc), "erfinv": _each(_inverse_erf),
    "erfcinv": _each(lambda x: _inverse_erf(1 - x)), "normcdfinv": _each(_inverse_normal),
    "normcdf": _each(lambda x: 0.5 * math.erfc(-x / math.sqrt(2))),
    "logb": lambda x: np.floor(np.log2(np.abs(x))), "div_rz": _cut_off,
}  # fmt: skip
_TO_INT32: Mapping[str, Callable[..., Any]] = {
    "isnan": np.isnan, "isinf": np.isinf, "isfinited": np.isfinite, "finitef": np.isfinite,
    "signbit": np.signbit, "float2int_rn": np.rint, "float2int_rz": np.trunc,
    "float2int_rd": np.floor, "float2int_ru": np.ceil, "double2int_rn": np.rint,
    "double2int_rz": np.trunc, "double2int_rd": np.floor, "double2int_ru": np.ceil,
}  # fmt: skip
_TO_INT64: Mapping[str, Callable[..., Any]] = {
    "llrint": np.rint, "llround": _rounded, "float2ll_rn": np.rint, "float2ll_rz": np.trunc,
    "float2ll_rd": np.floor, "float2ll_ru": np.ceil, "double2ll_rn": np.rint,
    "double2ll_rz": np.trunc, "double2ll_rd": np.floor, "double2ll_ru": np.ceil,
}  # fmt: skip


_following: list[Callable[[str, tuple[Any, ...], Any], None]] = []


@contextlib.contextmanager
def followed(follow: Callable[[str, tuple[Any, ...], Any], None]) -> Iterator[None]:
    """Until this ends, every call is told of: the name, the operands, and what came of it."""
    _following.append(follow)
    try:
        yield
    finally:
        _following.remove(follow)


def install() -> None:
    """Replace the functions where kernels import them from; call before the file is loaded."""
    for name in _MODULES:
        try:
            module: Any = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        for function in _public(module):
            setattr(module, function, _interpreted(function, name))


def _public(module: Any) -> Iterator[str]:
    for name, value in vars(module).items():
        if callable(value) and not name.startswith("_") and value.__module__ == module.__name__:
            yield name


def _interpreted(name: str, module: str) -> Callable[..., Any]:
    operation = _SAME_TYPE.get(name) or _TO_INT32.get(name) or _TO_INT64.get(name)

    def call(*operands: Any, **named: Any) -> Any:
        if operation is None or named.keys() - {"_semantic", "_builder"}:
            raise Refused(f"libdevice.{name}, which Triton's interpreter does not have")
        result = _elementwise(operation, operands, whole=_bits_of(name))
        for follow in _following:
            follow(name, operands, result)
        return result

    # Marked as Triton marks its own, so that a kernel whose text is hashed may name it.
    call.__name__, call.__module__ = name, module
    setattr(call, importlib.import_module("triton.language.core").TRITON_BUILTIN, True)
    return call


def _bits_of(name: str) -> int:
    return 32 if name in _TO_INT32 else 64 if name in _TO_INT64 else 0


def _whole(values: Any, bits: int) -> Any:
    """As a GPU converts: beyond the range to its ends, NaN to 0 (to the lowest of 64 bits)."""
    kind = np.dtype(f"int{bits}")
    if values.dtype.kind != "f":
        return values.astype(kind)
    limits = np.iinfo(kind)
    exact = values.astype(np.float64)
    inside = np.where((exact > limits.min) & (exact < limits.max), exact, 0).astype(kind)
    found = np.where(exact >= limits.max, limits.max, inside)
    found = np.where(exact <= limits.min, limits.min, found)
    return np.where(np.isnan(exact), 0 if bits == 32 else limits.min, found).astype(kind)


def _elementwise(operation: Callable[..., Any], operands: tuple[Any, ...], *, whole: int) -> Any:
    """For every element; the result is a whole number of so many bits, or of the same type."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    language: Any = importlib.import_module("triton.language")
    semantic = interpreter.interpreter_semantic
    tensors = [semantic.to_tensor(x) for x in operands]
    floats = {t.dtype for t in tensors if t.dtype.is_floating()}
    if floats == {language.bfloat16}:
        # As the compiler says, which has them for float32 and float64 and converts nothing.
        raise ValueError("input arg type does not match: libdevice has nothing for bfloat16")
    if not floats:
        raise Refused(f"libdevice on {tensors[0].dtype}, which Triton's interpreter gets wrong")
    # Two types of 16 bits are both converted to what holds either of them.
    widest = max((*floats, *([language.float32] if len(floats) > 1 else ())), key=_width)
    kind = np.dtype(f"float{_width(widest)}")
    arrays = np.broadcast_arrays(*(_as_numpy(t, language.bfloat16) for t in tensors))
    with np.errstate(all="ignore"):
        values = operation(*(a.astype(kind) for a in arrays))
        if whole:
            values = _whole(np.asarray(values), whole)
    scalar = {32: language.int32, 64: language.int64}.get(whole, widest)
    is_block = any(t.type.is_block() for t in tensors)
    dtype = language.block_type(scalar, list(values.shape)) if is_block else scalar
    return language.tensor(
        interpreter.TensorHandle(np.asarray(values, dtype=values.dtype if whole else kind), scalar),
        dtype,
    )


def _width(kind: Any) -> int:
    return int(kind.primitive_bitwidth)


def _as_numpy(tensor: Any, bfloat16_type: Any) -> Any:
    """The data of an operand, those of bfloat16 as float32."""
    data = tensor.handle.data
    return bfloat16.from_bits(data) if tensor.dtype == bfloat16_type else data
