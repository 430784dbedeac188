"""The two prime fields that residues live in, with numpy.

A residue is a pair: `u` modulo Q, and `v` modulo P = 2 Q + 1. Arithmetic acts on both; an
exponential takes `u` to the power of an element of order Q modulo P. In an array the pair is the
first axis.
"""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# What the interpreter's handles hold: whether they are floats, and the numbers.

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


def lanes_of(mask: Any, shape: tuple[int, ...]) -> Any:
    """Which lanes are on, by a mask of the interpreter or of Python."""
    data = mask.data if hasattr(mask, "get_element_ty") else mask
    lanes = np.asarray(data, dtype=bool)
    return lanes if lanes.shape == shape else np.broadcast_to(lanes, shape)


def reals_of(handle: Any) -> Any:
    """The numbers as float64."""
    return as_reals(handle.data, handle.dtype.scalar.name)


def as_reals(data: Any, name: str) -> Any:
    """The same of an array that holds floats of that name; bfloat16 as its bits."""
    if name == "bf16" and data.dtype == np.uint16:
        data = (data.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):  # a NaN that signals stays one
        return data.astype(np.float64)


Residues = npt.NDArray[np.uint64]
"""Of shape (2, ...): `u` modulo Q, and `v` modulo P."""

P, Q = 2147471759, 1073735879
"""Both are prime and 7 modulo 8, and 2, 3, 5 and 7 are squares modulo either: then a root of what
is made of these is a root in the field as well."""

MODULI = (Q, P)


@cache
def moduli(axes: int) -> Residues:
    """Q and P, to be used on residues of so many axes beside the first."""
    return np.array(MODULI, dtype=np.uint64).reshape(2, *(1,) * axes)


def _of(residues: Residues) -> Residues:
    return moduli(residues.ndim - 1)


def by_chance(degree: int) -> float:
    """How likely two different functions of that degree agree in one draw, at most."""
    return min(degree, Q) / Q  # a degree may be larger than any float


def add(left: Residues, right: Residues) -> Residues:
    return _reduced(left + right)


def subtract(left: Residues, right: Residues) -> Residues:
    return _reduced(left + (_of(right) - right))


def negate(residues: Residues) -> Residues:
    return _reduced(_of(residues) - residues)


def multiply(left: Residues, right: Residues) -> Residues:
    return _reduced(left * right)


def total(residues: Residues, axis: int) -> Residues:
    """The sum along an axis, which is counted without the first; up to 2**32 terms."""
    return _reduced(residues.sum(axis=axis + 1, dtype=np.uint64))


def running_total(residues: Residues, axis: int) -> Residues:
    return _reduced(residues.cumsum(axis=axis + 1, dtype=np.uint64))


def _reduced(residues: Any) -> Residues:
    found: Residues = residues % _of(residues)
    return found


def inverse(residues: Residues) -> Residues:
    """One divided by each; 0 where there is none."""
    return power(residues, (Q - 2, P - 2))


def root(residues: Residues) -> Residues:
    """A square root that goes through products, and is odd: of half of the numbers r * r is -x."""
    return power(residues, tuple((m + 1) // 4 + (m - 1) // 2 for m in MODULI))


def power(residues: Residues, exponents: tuple[int, ...]) -> Residues:
    """Each to the power of the exponent of its field."""
    if residues.size <= 4:  # as for a scalar, where Python is quicker than numpy
        flat = residues.reshape(2, -1).tolist()
        rows = zip(flat, exponents, MODULI, strict=True)
        return np.array([[pow(x, e, m) for x in row] for row, e, m in rows], np.uint64).reshape(
            residues.shape
        )
    return np.stack([_power(r, e, m) for r, e, m in zip(residues, exponents, MODULI, strict=True)])


_WINDOW = 4


def _power(base: Any, exponent: int, modulus: int) -> Any:
    m = np.uint64(modulus)
    powers = [np.ones_like(base), base]
    while len(powers) < 2**_WINDOW:
        powers.append(powers[-1] * base % m)
    digits = []
    while exponent:
        digits.append(exponent % 2**_WINDOW)
        exponent >>= _WINDOW
    found = powers[digits.pop()]
    for digit in reversed(digits):
        for _ in range(_WINDOW):
            found = found * found % m
        if digit:
            found = found * powers[digit] % m
    return found


_HALF = np.uint64(16)
_LOW = np.uint64(0xFFFF)
_MOST_TERMS = 2**20


def product(left: Residues, right: Residues) -> Residues:
    """The matrix product over the last two axes.

    In halves of 16 bits, whose products and sums float64 holds exactly for up to 2**20 terms.
    """
    if left.shape[-1] > _MOST_TERMS:
        raise OverflowError(f"a matrix product of {left.shape[-1]} terms")
    a, b = (x >> _HALF for x in (left, right))
    c, d = (x & _LOW for x in (left, right))
    high, mixed, low = _exact(a, b), _exact(a, d) + _exact(c, b), _exact(c, d)
    m = _of(high)
    shift = np.uint64(1 << 16)
    found: Residues = ((high % m * shift + mixed) % m * shift + low) % m
    return found


def _exact(left: Residues, right: Residues) -> Residues:
    found: Residues = np.matmul(left.astype(np.float64), right.astype(np.float64)).astype(np.uint64)
    return found


def fraction(numerator: int, denominator: int) -> tuple[int, int]:
    """A rational number in both fields."""
    u, v = (numerator * pow(denominator, -1, m) % m for m in MODULI)
    return u, v


# What a tile of floats carries beside its values: residues, and how complicated they are.


class Degree(NamedTuple):
    """Of the numerator and of the denominator: no less than either has."""

    above: int
    below: int

    def plus(self, other: Degree) -> Degree:
        if self.below == other.below == 0:
            return Degree(max(self.above, other.above), 0)
        above = max(self.above + other.below, other.above + self.below)
        return Degree(above, self.below + other.below)

    def times(self, other: Degree) -> Degree:
        return Degree(self.above + other.above, self.below + other.below)

    def largest(self, other: Degree) -> Degree:
        return Degree(max(self.above, other.above), max(self.below, other.below))

    def summed(self, terms: int) -> Degree:
        """Of the sum of so many such terms."""
        if terms < 2 or not self.below:
            return self
        return Degree(self.above + (terms - 1) * self.below, terms * self.below)


NUMBER = Degree(0, 0)
VARIABLE = Degree(1, 0)
EXPONENTIAL = Degree(1, 1)
"""Of exponentials whole powers are taken, negative ones too."""


@dataclass(frozen=True)
class Carried:
    residues: Residues
    degree: Degree = NUMBER

    @property
    def shape(self) -> tuple[int, ...]:
        return self.residues.shape[1:]

    def with_axes(self, axes: int) -> Carried:
        """With so many axes, by more of length 1 in front."""
        missing = axes - (self.residues.ndim - 1)
        if missing <= 0:
            return self
        return self.of(self.residues.reshape(2, *(1,) * missing, *self.shape))

    def of(self, residues: Residues) -> Carried:
        """The same numbers in another arrangement, or some of them."""
        return Carried(residues, self.degree)

    def spread(self, shape: tuple[int, ...]) -> Carried:
        if self.shape == shape:
            return self
        # Of a tile this takes less time than `np.broadcast_to`.
        found = np.empty((2, *shape), dtype=np.uint64)
        found[...] = self.with_axes(len(shape)).residues
        return self.of(found)

    def plus(self, other: Carried) -> Carried:
        left, right = _alike(self, other)
        return Carried(add(left, right), self.degree.plus(other.degree))

    def minus(self, other: Carried) -> Carried:
        left, right = _alike(self, other)
        return Carried(subtract(left, right), self.degree.plus(other.degree))

    def times(self, other: Carried) -> Carried:
        left, right = _alike(self, other)
        return Carried(multiply(left, right), self.degree.times(other.degree))

    def negated(self) -> Carried:
        return self.of(negate(self.residues))

    def inverted(self) -> Carried:
        first = self.residues.reshape(2, -1)[:, :1]
        degree = Degree(self.degree.below, self.degree.above)
        if self.residues.size > 2 and (self.residues.reshape(2, -1) == first).all():
            one = inverse(first).reshape(2, *(1,) * len(self.shape))
            return Carried(np.broadcast_to(one, self.residues.shape), degree)
        return Carried(inverse(self.residues), degree)

    def summed(self, axis: int) -> Carried:
        return Carried(total(self.residues, axis), self.degree.summed(self.shape[axis]))

    def where(self, condition: Any, other: Carried) -> Carried:
        """These where the condition holds, the others elsewhere."""
        chosen = np.asarray(condition, dtype=bool)
        axes = max(chosen.ndim, len(self.shape), len(other.shape))
        left, right = self.with_axes(axes).residues, other.with_axes(axes).residues
        return Carried(np.where(chosen, left, right), self.degree.largest(other.degree))


def _alike(left: Carried, right: Carried) -> tuple[Residues, Residues]:
    axes = max(len(left.shape), len(right.shape))
    return left.with_axes(axes).residues, right.with_axes(axes).residues


def largest_degree(parts: Sequence[Carried]) -> Degree:
    found = NUMBER
    for part in parts:
        found = found.largest(part.degree)
    return found


# One draw: what numbers and functions stand for in the fields, by a seed.
#
# The two versions of one draw have the same seed, and so the same residue for the same number, and
# for the same function of the same residues.

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
_EXPONENT_BITS = 15
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
        self.high = _powers(pow(generator, 1 << _EXPONENT_BITS, P))

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
        found = _pair(fraction(number.numerator, number.denominator), 0)
        if meant.is_root:
            found = root(found)
        if meant.logarithms:
            found = self.scaled(found, meant.logarithms)
        u, v = found.tolist()
        return u, v

    def of_constant(self, value: float, axes: int) -> Residues:
        return np.array(self.constant(value), np.uint64).reshape(2, *(1,) * axes)

    def scaled(self, residues: Residues, power: int) -> Residues:
        """Times log2(e) to a power."""
        by = [pow(c, power, m) for c, m in zip(self.log2_e, MODULI, strict=True)]
        return multiply(residues, _pair(by, residues.ndim - 1))

    def of_data(self, values: Any) -> Residues:
        """The residues of the numbers of a tensor: random, but the same wherever a number is."""
        reals = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(reals)
        reals = np.where(finite, reals, 0.0) + 0.0  # there is one 0
        found = self._hashed([reals.view(np.uint64)], "data")
        exact = is_simple(reals)
        if exact.any():
            whole = of_integers(np.where(exact, reals * _PARTS, 0.0).astype(np.int64))
            sixteenth = _pair(fraction(1, _PARTS), reals.ndim)
            found = np.where(exact, multiply(whole, sixteenth), found)
        return found

    # Functions

    def exponential(self, exponents: Residues) -> Residues:
        """`v` of an exponential is that of a power; its `u` is any function of that."""
        u = exponents[0]
        mask = np.uint64((1 << _EXPONENT_BITS) - 1)
        v = self.low[u & mask] * self.high[u >> np.uint64(_EXPONENT_BITS)] % np.uint64(P)
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
    for bit in range(_EXPONENT_BITS):
        step = np.uint64(pow(base, 1 << bit, P))
        found = np.concatenate([found, found * step % np.uint64(P)])
    return found


assert 2 * Q + 1 == P and Q < 1 << 2 * _EXPONENT_BITS
