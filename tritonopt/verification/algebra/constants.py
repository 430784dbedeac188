"""Which number a float constant stands for.

`0.1` is a number that float32 does not have. What was meant is the simplest fraction that rounds
to it: 1/10, and 1/768 for what `1.0 / 768` is on the host. Two floats of one type never stand for
one number. What float32 and float64 make of one fraction is one constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

_SIMPLE, _SIMPLE_ROOT = 2**20, 2**12
"""So large may the numerator times the denominator be, of a number and of what is less likely."""
_NAMED = ((Fraction(math.log2(math.e)), 1), (Fraction(math.log(2)), -1))
"""What stands between exp and exp2. They are no rational numbers, and each other's inverse."""


@dataclass(frozen=True)
class Meaning:
    """A fraction, or its root, times a power of log2(e)."""

    fraction: Fraction
    logarithms: int = 0
    is_root: bool = False


@cache
def meant_by(value: float) -> Meaning:
    """What a float stands for; the shortest decimal that rounds to it, if nothing is simpler."""
    low, high = _rounded_to(value)
    fraction = simplest_between(low, high)
    if _weight(fraction) <= _SIMPLE:
        return Meaning(fraction)
    for constant, power in _NAMED:
        ends = sorted((low / constant, high / constant))
        factor = simplest_between(ends[0], ends[1])
        if _weight(factor) <= _SIMPLE_ROOT:
            return Meaning(factor, power)
    if value > 0:
        square = simplest_between(low * low, high * high)
        if _weight(square) <= _SIMPLE_ROOT:
            return Meaning(square, is_root=True)
    return Meaning(Fraction(str(_kind(value)(value))))


def _weight(fraction: Fraction) -> int:
    return abs(fraction.numerator) * fraction.denominator


def _kind(value: float) -> Any:
    with np.errstate(over="ignore"):
        return np.float32 if float(np.float32(value)) == value else np.float64


def _rounded_to(value: float) -> tuple[Fraction, Fraction]:
    """The numbers that are rounded to this one: in float32, where float32 has it."""
    kind, exact = _kind(value), Fraction(value)
    ends = []
    for direction in (-math.inf, math.inf):
        with np.errstate(over="ignore"):
            there = float(np.nextafter(kind(value), kind(direction)))
        beside = Fraction(there) if math.isfinite(there) else exact
        ends.append((exact + beside) / 2)
    return ends[0], ends[1]


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the least denominator between two, and of these the one nearest to 0."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    floor = math.floor(low)
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))
