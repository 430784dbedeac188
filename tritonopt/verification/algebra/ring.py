"""One draw: what numbers and functions stand for in the fields, by a seed.

The two versions of one draw have the same seed, and so the same residue for the same number, and
for the same function of the same residues.
"""

from __future__ import annotations

import math
import random
import zlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from tritonopt.verification.algebra import field
from tritonopt.verification.algebra.field import MODULI, P, Q, Residues

# Which number a float constant stands for.
#
# `0.1` is a number that float32 does not have. What was meant is the simplest fraction that rounds
# to it: 1/10, and 1/768 for what `1.0 / 768` is on the host. Two floats of one type never stand for
# one number. What float32 and float64 make of one fraction is one constant.

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


_PARTS = 16
"""A number that is a multiple of 1/16 below 2**20 stands for itself, whatever holds it."""
_LARGEST = 2.0**20
_BITS = 15
"""An exponent is looked up in two tables of so many bits."""


class Ring:
    """What depends on the seed of a draw."""

    def __init__(self, seed: int) -> None:
        numbers = random.Random(seed)
        self.key = np.uint64(numbers.getrandbits(64))
        self.log2_e = tuple(numbers.randrange(2, m) for m in MODULI)
        """What log2(e) stands for: any number will do for one that no fraction equals."""
        generator = pow(numbers.randrange(2, P - 1), 2, P)
        self.low = _powers(generator)
        self.high = _powers(pow(generator, 1 << _BITS, P))

    # Numbers

    def constant(self, value: float) -> tuple[int, int]:
        """The residue of one number of a program, or of an argument."""
        if value in (float("inf"), float("-inf")) or value != value:
            return 0, 0
        return self._constant(value)

    @cache  # noqa: B019  # a ring lives as long as one run
    def _constant(self, value: float) -> tuple[int, int]:
        meant = meant_by(value)
        number = meant.fraction
        found = _pair(field.fraction(number.numerator, number.denominator), 0)
        if meant.is_root:
            found = field.root(found)
        if meant.logarithms:
            found = self.scaled(found, meant.logarithms)
        u, v = found.tolist()
        return u, v

    def of_constant(self, value: float, axes: int) -> Residues:
        return np.array(self.constant(value), np.uint64).reshape(2, *(1,) * axes)

    def scaled(self, residues: Residues, power: int) -> Residues:
        """Times log2(e) to a power."""
        by = [pow(c, power, m) for c, m in zip(self.log2_e, MODULI, strict=True)]
        return field.multiply(residues, _pair(by, residues.ndim - 1))

    def of_data(self, values: Any) -> Residues:
        """The residues of the numbers of a tensor: random, but the same wherever a number is."""
        reals = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(reals)
        reals = np.where(finite, reals, 0.0) + 0.0  # there is one 0
        found = self._hashed([reals.view(np.uint64)], "data")
        exact = is_simple(reals)
        if exact.any():
            whole = of_integers(np.where(exact, reals * _PARTS, 0.0).astype(np.int64))
            sixteenth = _pair(field.fraction(1, _PARTS), reals.ndim)
            found = np.where(exact, field.multiply(whole, sixteenth), found)
        return found

    # Functions

    def exponential(self, exponents: Residues) -> Residues:
        """`v` of an exponential is that of a power; its `u` is any function of that."""
        u = exponents[0]
        mask = np.uint64((1 << _BITS) - 1)
        v = self.low[u & mask] * self.high[u >> np.uint64(_BITS)] % np.uint64(P)
        return np.stack([self._hashed([v], "exp")[0], v])

    def uninterpreted(self, name: str, *arguments: Residues) -> Residues:
        """A function of which nothing is known but that equal arguments give equal results."""
        return self._hashed([a[1] for a in arguments], name)

    def _hashed(self, words: list[Any], name: str) -> Residues:
        found = self.key ^ np.uint64(zlib.crc32(name.encode()))
        for word in words:
            found = _mixed(word + _mixed(np.asarray(found)))
        pair = [_mixed(found ^ np.uint64(n)) % np.uint64(m) for n, m in enumerate(MODULI, 1)]
        return np.stack(pair)


def is_simple(reals: Any) -> Any:
    """Which numbers stand for themselves wherever they are."""
    with np.errstate(over="ignore", invalid="ignore"):
        parts = reals * _PARTS
        return (np.abs(reals) < _LARGEST) & (parts == np.rint(parts))


def _pair(numbers: Any, axes: int) -> Residues:
    return np.array(tuple(numbers), np.uint64).reshape(2, *(1,) * axes)


def of_integers(values: Any) -> Residues:
    """Whole numbers stand for themselves."""
    whole = np.asarray(values)
    if whole.dtype == np.uint64:
        return np.stack([whole % np.uint64(m) for m in MODULI])
    signed = whole.astype(np.int64)
    return np.stack([(signed % m).astype(np.uint64) for m in MODULI])


def of_whole_floats(values: Any) -> Residues:
    """Floats that are whole numbers, of whatever size."""
    reals = np.asarray(values, dtype=np.float64)
    reals = np.where(np.isfinite(reals), reals, 0.0)
    if (np.abs(reals) < 2.0**63).all():
        return of_integers(reals.astype(np.int64))
    flat = [[int(x) % m for x in reals.ravel().tolist()] for m in MODULI]
    return np.array(flat, np.uint64).reshape(2, *reals.shape)


def _mixed(words: Any) -> Any:
    """Bits of 64 that look like random ones (the finalizer of splitmix64)."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _powers(base: int) -> Any:
    """The powers of a number modulo P, from 0 on."""
    found = np.ones(1, dtype=np.uint64)
    for bit in range(_BITS):
        step = np.uint64(pow(base, 1 << bit, P))
        found = np.concatenate([found, found * step % np.uint64(P)])
    return found


assert 2 * Q + 1 == P and Q < 1 << 2 * _BITS
