"""The functions of libdevice on Triton's interpreter, which has none of them. Worker only.

Left alone they return None there, and the kernel fails at the next line. What numpy or
`math` compute as well is computed; the rest is refused, by name.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .interpreter import Refused

_MODULES = ("triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice")

_SAME_TYPE: Mapping[str, Callable[..., Any]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt, "sqrt_rn": np.sqrt, "cbrt": np.cbrt,
    "rcbrt": lambda x: 1 / np.cbrt(x), "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: 10.0**x,
    "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "erf": np.vectorize(math.erf, otypes=[float]),
    "erfc": np.vectorize(math.erfc, otypes=[float]), "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "rint": np.rint, "nearbyint": np.rint, "abs": np.abs, "fabs": np.abs,
    "fast_expf": np.exp, "fast_tanhf": np.tanh, "fast_logf": np.log, "fast_sinf": np.sin,
    "fast_cosf": np.cos, "fast_log2f": np.log2, "pow": np.power, "fast_powf": np.power,
    "atan2": np.arctan2, "fmod": np.fmod, "hypot": np.hypot, "copysign": np.copysign,
    "div_rn": np.divide, "fast_dividef": np.divide,
}  # fmt: skip
_TO_INT32: Mapping[str, Callable[..., Any]] = {
    "isnan": np.isnan, "isinf": np.isinf, "isfinited": np.isfinite, "finitef": np.isfinite,
    "signbit": np.signbit,
}  # fmt: skip


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
    operation = _SAME_TYPE.get(name) or _TO_INT32.get(name)

    def call(*operands: Any, **named: Any) -> Any:
        if operation is None or named.keys() - {"_semantic", "_builder"}:
            raise Refused(f"libdevice.{name}, which Triton's interpreter does not have")
        return _elementwise(operation, operands, to_int32=name in _TO_INT32)

    # Marked as Triton marks its own, so that a kernel whose text is hashed may name it.
    call.__name__, call.__module__ = name, module
    setattr(call, importlib.import_module("triton.language.core").TRITON_BUILTIN, True)
    return call


def _elementwise(
    operation: Callable[..., Any], operands: tuple[Any, ...], *, to_int32: bool
) -> Any:
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    language: Any = importlib.import_module("triton.language")
    semantic = interpreter.interpreter_semantic
    tensors = [semantic.to_tensor(x) for x in operands]
    at = next((i for i, t in enumerate(tensors) if t.dtype.is_floating()), 0)
    first = tensors[at]
    if not first.dtype.is_floating() or first.dtype == language.bfloat16:
        raise Refused(f"libdevice on {first.dtype}, which Triton's interpreter gets wrong")
    arrays = np.broadcast_arrays(*(t.handle.data for t in tensors))
    with np.errstate(all="ignore"):
        values = operation(*(a.astype(arrays[at].dtype) for a in arrays))
    scalar = language.int32 if to_int32 else first.dtype
    kind = np.int32 if to_int32 else arrays[at].dtype
    is_block = any(t.type.is_block() for t in tensors)
    dtype = language.block_type(scalar, list(values.shape)) if is_block else scalar
    return language.tensor(interpreter.TensorHandle(np.asarray(values, dtype=kind), scalar), dtype)
