"""What a tile of floats carries beside its values: residues, and how complicated they are.

Arithmetic on it is that of the fields. The degree is that of the rational function of the inputs
which a residue is the value of: it bounds how likely two different functions agree by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tritonopt.verification.algebra import field
from tritonopt.verification.algebra.field import Residues


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
        return Carried(field.add(left, right), self.degree.plus(other.degree))

    def minus(self, other: Carried) -> Carried:
        left, right = _alike(self, other)
        return Carried(field.subtract(left, right), self.degree.plus(other.degree))

    def times(self, other: Carried) -> Carried:
        left, right = _alike(self, other)
        return Carried(field.multiply(left, right), self.degree.times(other.degree))

    def negated(self) -> Carried:
        return self.of(field.negate(self.residues))

    def inverted(self) -> Carried:
        first = self.residues.reshape(2, -1)[:, :1]
        degree = Degree(self.degree.below, self.degree.above)
        if self.residues.size > 2 and (self.residues.reshape(2, -1) == first).all():
            one = field.inverse(first).reshape(2, *(1,) * len(self.shape))
            return Carried(np.broadcast_to(one, self.residues.shape), degree)
        return Carried(field.inverse(self.residues), degree)

    def summed(self, axis: int, *, keep: bool = False) -> Carried:
        degree = self.degree.summed(self.shape[axis])
        return Carried(field.total(self.residues, axis, keep=keep), degree)

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
