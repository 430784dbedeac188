"""What the interpreter's handles hold: whether they are floats, and the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

_BITS = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16}


def is_float(value: Any) -> bool:
    """Whether this is a handle that holds floats.

    The outcome of a comparison has the type of what was compared, and holds something else.
    """
    dtype = getattr(value, "dtype", None)
    if dtype is None or not hasattr(value, "data"):
        return False
    scalar = getattr(dtype, "scalar", None)
    if scalar is None or not getattr(scalar, "is_floating", bool)():
        return False
    if value.data.dtype.kind == "f":
        return True
    held = np.uint16 if scalar.name == "bf16" else np.uint8 if scalar.is_fp8() else np.float64
    return bool(value.data.dtype == held)


def width_of(handle: Any) -> int:
    """The bits of a float; 0 of a type of 8 bits, which is not followed."""
    return _BITS.get(handle.dtype.scalar.name, 0)


def reals_of(handle: Any) -> Any:
    """The numbers as float64."""
    return as_reals(handle.data, handle.dtype.scalar.name)


def as_reals(data: Any, name: str) -> Any:
    """The same of an array that holds floats of that name; bfloat16 as its bits."""
    if name == "bf16" and data.dtype == np.uint16:
        data = (data.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):  # a NaN that signals stays one
        return data.astype(np.float64)
