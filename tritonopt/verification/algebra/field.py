"""The two prime fields that residues live in, with numpy.

A residue is a pair: `u` modulo Q, and `v` modulo P = 2 Q + 1. Arithmetic acts on both; an
exponential takes `u` to the power of an element of order Q modulo P. In an array the pair is the
first axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


def total(residues: Residues, axis: int, *, keep: bool = False) -> Residues:
    """The sum along an axis, which is counted without the first; up to 2**32 terms."""
    return _reduced(residues.sum(axis=axis + 1, keepdims=keep, dtype=np.uint64))


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

    def summed(self, axis: int, *, keep: bool = False) -> Carried:
        degree = self.degree.summed(self.shape[axis])
        return Carried(total(self.residues, axis, keep=keep), degree)

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
