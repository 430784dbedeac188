"""Floats that become whole numbers of a type which has no such number: infinity, NaN, 1e9 as i16.

What comes of it is not defined. A load of whole numbers makes such a conversion of its `other`
where that is a float (`other=-float("inf")`): what lanes that are off get then differs between
compilers, and between two versions of a kernel that one compiler makes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

_LOST = "tritonopt_lost"
_CONVERTED = re.compile(r"%(\S+) = arith\.fpto[su]i %(\S+) : .* to (?:tensor<\S*x)?(i\d+)")
_CONSTANT = re.compile(r"%(\S+) = arith\.constant ")
_SPREAD = re.compile(r"%(\S+) = tt\.splat %(\S+) :")
_LOAD = re.compile(r"tt\.load %[^,\s]+, %[^,\s]+, %(\S+)")


def install(kind: Any) -> None:
    """From now on the interpreter's builder of this kind notes which elements are undefined."""
    for name in ("create_fp_to_si", "create_fp_to_ui"):
        setattr(kind, name, _noting(getattr(kind, name)))


def _noting(original: Any) -> Any:
    def converted(builder: Any, source: Any, *rest: Any) -> Any:
        result = original(builder, source, *rest)
        given, found = np.asarray(source.data), np.asarray(result.data)
        if given.dtype.kind == "f" and found.dtype.kind in "iu":
            limits = np.iinfo(found.dtype)
            whole = np.trunc(given.astype(np.float64))  # float16 has no room for the limits
            # Below 2**63, for no float is 2**63 - 1.
            held = (whole >= limits.min) & (whole < 2.0**limits.bits / (1 + (limits.min < 0)))
            if not held.all():
                setattr(result, _LOST, ~held)
        return result

    return converted


def lost(handle: Any) -> Any:
    """Which elements of a block came of such a conversion; None where none did."""
    return getattr(handle, _LOST, None)


def otherwise(handle: Any) -> Any:
    """The elements with other numbers for these: what does not depend on them stays as it is."""
    found = np.asarray(handle.data)
    limits = np.iinfo(found.dtype)
    other = np.where(found == limits.max, limits.min, limits.max).astype(found.dtype)
    return np.where(lost(handle), other, found)


def told(kind: object) -> str:
    """In words, of a load of numbers of a type."""
    return f"a load of {kind} has an `other` which is no number of that type"


@lru_cache(maxsize=64)
def in_compiled(ttir: str) -> tuple[str, ...]:
    """The same of what was compiled: conversions of constants that the compiler leaves alone.

    It makes those that are defined itself.
    """
    constants = {found[1] for found in _CONSTANT.finditer(ttir)}
    undefined = {f[1]: f[3] for f in _CONVERTED.finditer(ttir) if f[2] in constants}
    for found in _SPREAD.finditer(ttir) if undefined else ():
        if found[2] in undefined:
            undefined[found[1]] = undefined[found[2]]
    loads = (undefined.get(found[1]) for found in _LOAD.finditer(ttir))
    return tuple(dict.fromkeys(told(kind) for kind in loads if kind))
