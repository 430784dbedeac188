"""Sizes to try for the tensors that a launcher is given: those that its checks tie are one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from tritonopt.facts.algebra.atoms import Compared, Mod, Negative, TensorSize, Zero
from tritonopt.facts.algebra.polynomial import Polynomial

_FEW, _MANY = 5, 997
_LARGEST = 1 << 14

_Dimension = tuple[Polynomial, int]


class Dimensions:
    """The dimensions of several tensors, one after the other."""

    def __init__(self, ranks: Mapping[Polynomial, int], checks: Sequence[Polynomial]) -> None:
        self._ranks = ranks
        self._all: list[_Dimension] = [(t, i) for t, rank in ranks.items() for i in range(rank)]
        self._same = {dimension: dimension for dimension in self._all}
        self._fixed: dict[_Dimension, int] = {}
        self._steps: dict[_Dimension, int] = {}
        """What the launcher asks sizes to be multiples of."""
        for check in checks:
            self._tie(check)

    def _tie(self, check: Polynomial) -> None:
        """`x.shape[1] == 128` and `x.shape[0] == y.shape[0]`, where they must hold."""
        match check.sole_atom:
            case Zero(form=form):
                difference = form
            case Compared(order="eq", left=left, right=right):
                difference = left - right
            case _:
                for factor in factors(check):
                    if factor != check:
                        self._tie(factor)
                return
        if isinstance(remainder := difference.sole_atom, Mod):
            self._note_step(remainder)
            return
        sizes = {m[0][0]: c for m, c in difference.terms.items() if len(m) == 1 and m[0][1] == 1}
        rest = difference.terms.get((), 0)
        known = [(self._dimension(atom), c) for atom, c in sizes.items()]
        if len(sizes) + (1 if rest else 0) != len(difference.terms):
            return
        match known:
            case [(tuple() as one, c)] if (-rest / c).denominator == 1:
                self._fixed[self._find(one)] = int(-rest / c)
            case [(tuple() as one, c), (tuple() as other, d)] if c == -d and not rest:
                first, second = self._find(one), self._find(other)
                self._same[second] = first
                if second in self._fixed:
                    self._fixed.setdefault(first, self._fixed[second])

    def _note_step(self, remainder: Mod) -> None:
        """`x.shape[0] % 64 == 0`"""
        dimension = self._dimension(remainder.dividend.sole_atom)
        step = remainder.divisor.constant_value
        if dimension is not None and step and step.denominator == 1 and 0 < step < _LARGEST:
            known = self._steps.get(dimension, 1)
            self._steps[dimension] = math.lcm(known, int(step))

    def _dimension(self, atom: object) -> _Dimension | None:
        if not isinstance(atom, TensorSize) or atom.tensor not in self._ranks:
            return None
        rank = self._ranks[atom.tensor]
        if atom.method == "numel" and rank == 1:
            return atom.tensor, 0
        if atom.method != "size" or not atom.which or not -rank <= atom.which[0] < rank:
            return None
        return atom.tensor, atom.which[0] % rank

    def _find(self, dimension: _Dimension) -> _Dimension:
        while self._same[dimension] != dimension:
            dimension = self._same[dimension]
        return dimension

    @property
    def _free(self) -> list[_Dimension]:
        """Of dimensions that are one, the first; those with a number are none."""
        found = dict.fromkeys(map(self._find, self._all))
        return [dimension for dimension in found if dimension not in self._fixed]

    def _whole(self, chosen: Mapping[_Dimension, int]) -> tuple[int, ...]:
        known = {**chosen, **self._fixed}
        for dimension, step in self._steps.items():
            first = self._find(dimension)
            if first in chosen:
                known[first] = math.lcm(known[first], step)
        return tuple(known[self._find(dimension)] for dimension in self._all)

    def sizes(self, lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """All sizes that may be put in, of these lengths."""
        free = self._free
        for numbers in product(dict.fromkeys(lengths), repeat=len(free)):
            yield self._whole(dict(zip(free, numbers, strict=True)))

    def apart(self) -> Iterator[tuple[int, ...]]:
        """Sizes with each dimension as long as the others, much longer and much shorter."""
        free = self._free
        for short, long in ((_FEW, _MANY), (_MANY, _FEW), (_FEW + 2, _FEW + 2)):
            for one in free:
                numbers = {d: long if d == one else short for d in free}
                yield self._whole(numbers)


def factors(check: Polynomial) -> Iterator[Polynomial]:
    """What must hold, of what must hold together."""
    if len(check.terms) == 1:
        ((monomial, coefficient),) = check.terms.items()
        if coefficient == 1:
            yield from (Polynomial.of(atom) for atom, _ in monomial)


def written_in(checks: Sequence[Polynomial]) -> tuple[int, ...]:
    """Lengths at the numbers that checks speak of, just beside them, and multiples of them."""
    found: list[int] = []
    for check in checks:
        for leaf in check.leaves():
            for form in leaf.inside:
                number = form.terms.get(())
                if number is not None and number.denominator == 1 and 1 < abs(number) < _LARGEST:
                    whole = abs(int(number))
                    found += [whole, whole * 3]
                    if isinstance(leaf, (Negative, Compared)):
                        found += [whole + 1, whole - 1]
    return tuple(dict.fromkeys(found))[:12]
