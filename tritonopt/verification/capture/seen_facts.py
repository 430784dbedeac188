"""What held between the sizes of every call that was seen, and may be more than chance.

A launcher may need `c % groups == 0` or `b == 2 * d`: where every size is free, it fails on most
calls, and nothing is shown. With facts it is called as it wants to be, and sizes stay free. That
makes calls fewer, never others: each call that was seen is one of them, so what they show is worth
more than what the same sizes again would. What must not be lost is where the last tile of a row is
not full, for there a rewrite may drop a mask. So these alone are taken:

- `c % g == 0`, where g is drawn as well, of two sizes or of a size and a number. When g is 1, c is
  any size. A number of which a kernel's constant is made may be a tile's length: it is none of
  these (`tile_parameters`), for then all tiles would be full.
- `b == 2 * d`, `b == 3 * d`, `b == d + 1`, `b == d * e`, where all but b are drawn: of multiples
  of two or three the tiles are full as seldom as of all sizes, but for tiles of two or three. A
  larger factor may be a tile's length, as of sums over 128 elements each: it is not taken, nor
  what is twice the double of another one.
- Nothing of two sizes that one tensor has: rows and columns are as many as a benchmark likes.
- Where a size did change, only what would not hold of sizes of different calls: powers of two
  divide each other, and any number of rows 8 or 128.
- Where it never did, only what its place speaks for: that a number divides it, that queries and
  keys differ in it alone, that both are the last dimension, or that a product is one of neighbors.

Which of them the launcher needs is not known. One that it does not need hides what it does where
that does not hold: with the last group of a row, which is shorter. So forms with fewer facts come
first, and with all of them the last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, permutations, product
from math import prod
from typing import Any

from tritonopt.verification.signature.argument_language import (
    Argument,
    ChoiceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
)
from tritonopt.verification.signature.size_facts import Fact, names_in

_Numbers = tuple[int, ...]
"""One for each call."""

_FACTORS = (2, 3)
_FEW = 3
"""Of so many facts every set is asked; of more only those in which one is missing, and all."""


def with_facts(
    form: Signature, calls: Sequence[Mapping[str, Any]], tiles: Collection[str]
) -> Iterator[Signature]:
    """The form with what held of its sizes in these calls: with few of the facts first, with all
    of them last; none where there are no facts.

    `tiles` are arguments that may be the length of a tile.
    """
    seen = _Seen(form, calls, tiles)
    facts = tuple(dict.fromkeys(seen.facts()))
    least = 1 if len(facts) <= _FEW else len(facts) - 1
    counts = range(least, len(facts) + 1) if facts else ()
    for chosen in chain.from_iterable(combinations(facts, count) for count in counts):
        yield _with(form, chosen, seen.whole)


def _with(form: Signature, facts: tuple[Fact, ...], whole: Collection[str]) -> Signature:
    """The form with these facts; what is a whole number in one of them is free."""
    compared = {name for fact in facts for name in fact.names}

    def freed(argument: Argument) -> Argument:
        free = argument.name in compared and argument.name in whole
        return SizeArgument(argument.name, (argument.name,)) if free else argument

    return replace(form, arguments=tuple(map(freed, form.arguments)), facts=facts)


@dataclass(frozen=True)
class _Seen:
    form: Signature
    calls: Sequence[Mapping[str, Any]]
    tiles: Collection[str]

    @cached_property
    def shapes(self) -> Sequence[tuple[object, ...]]:
        return [a.shape for a in self.form.arguments if isinstance(a, TensorArgument)]

    @cached_property
    def sizes(self) -> Mapping[str, _Numbers]:
        """What every size was that has a name."""
        found = {}
        for argument in self.form.arguments:
            if isinstance(argument, TensorArgument):
                shapes = [call[argument.name]["shape"] for call in self.calls]
                for name, column in zip(argument.shape, zip(*shapes, strict=True), strict=True):
                    if isinstance(name, str):
                        found[name] = tuple(column)
        return found

    @cached_property
    def whole(self) -> Mapping[str, _Numbers]:
        """Whole numbers that are told by no size."""
        found = {}
        for argument in self.form.arguments:
            if isinstance(argument, ChoiceArgument) and argument.name not in self.sizes:
                column = [call[argument.name].get("value") for call in self.calls]
                numbers = tuple(n for n in column if type(n) is int)
                if len(numbers) == len(column):
                    found[argument.name] = numbers
        return found

    @cached_property
    def numbers(self) -> Mapping[str, _Numbers]:
        """Those that may be how many parts there are, and are no tile's length.

        One that never changed and could be the number of a dimension is most likely that.
        """
        rank = max((len(shape) for shape in self.shapes), default=0)
        return {
            name: numbers
            for name, numbers in self.whole.items()
            if name not in self.tiles and min(numbers) > (1 if _changes(numbers) else rank)
        }

    def facts(self) -> Iterator[Fact]:
        computed, steps = set(), dict[str, str]()
        for name, numbers in self.whole.items():
            if formula := next(self._products(numbers), ""):
                yield Fact(f"{name} == {formula}")
        for size, numbers in self.sizes.items():
            for formula in self._formulas(size, numbers) if min(numbers) > 1 else ():
                names = names_in(formula)
                # Twice what is twice another one is as long as a tile after a few steps.
                if names[1:] or not (steps.keys() & names or size in steps.values()):
                    steps |= {} if names[1:] else {size: names[0]}
                    computed.add(size)
                    yield Fact(f"{size} == {formula}")
                    break
        for size in [name for name in self.sizes if name not in computed]:
            for name in (*self.sizes, *self.numbers):
                if self._divides(size, name):
                    yield Fact(f"{size} % {name} == 0")

    def _formulas(self, size: str, numbers: _Numbers) -> Iterator[str]:
        for other, others in self.sizes.items():
            if self._are_together(size, other) or _changes(numbers) != _changes(others):
                continue
            if _changes(numbers) or self._end_alike(size, other):
                for factor in _FACTORS if _changes(numbers) else _FACTORS[:1]:
                    if numbers == tuple(factor * n for n in others):
                        yield f"{factor} * {other}"
            if _changes(numbers) and numbers == tuple(n + 1 for n in others):
                yield f"{other} + 1"
        yield from self._products(numbers, size)

    def _products(self, numbers: _Numbers, size: str = "") -> Iterator[str]:
        """Of dimensions side by side in a tensor, which something else has as a single one."""
        for shape in (shape for shape in self.shapes if size not in shape):
            for start, end in combinations(range(len(shape) + 1), 2):
                names = [d for d in shape[start:end] if isinstance(d, str)]
                columns = [self.sizes[name] for name in names]
                if len(names) < max(end - start, 2) or min(map(min, columns)) < 2:
                    continue
                if numbers == tuple(map(prod, zip(*columns, strict=True))):
                    yield " * ".join(names)

    def _are_together(self, size: str, other: str) -> bool:
        return size == other or any({size, other} <= set(shape) for shape in self.shapes)

    def _end_alike(self, size: str, other: str) -> bool:
        """Whether both are the last dimension of a tensor."""
        last = [shape[-1] for shape in self.shapes if shape]
        return size in last and other in last

    def _divides(self, size: str, name: str) -> bool:
        """Whether a number or another size divided the size in every call, and not by chance."""
        if name in self.sizes and not self._stand_alike(size, name):
            return False
        numbers, others = self.sizes[size], self.numbers.get(name) or self.sizes[name]
        if min(others) < 2 or any(a % b for a, b in zip(numbers, others, strict=True)):
            return False
        if _changes(numbers):
            return any(a % b for a, b in product(numbers, others))
        return name in self.numbers or not _changes(others)

    def _stand_alike(self, size: str, other: str) -> bool:
        """Whether two tensors differ in these alone: heads that queries and keys have.

        Of the last dimension that would be so many elements for each: what a tile may hold.
        """
        return not self._are_together(size, other) and any(
            len(one) == len(two)
            and one[-1:] == two[-1:]
            and [(a, b) for a, b in zip(one, two, strict=True) if a != b] == [(size, other)]
            for one, two in permutations(self.shapes, 2)
        )


def _changes(numbers: _Numbers) -> bool:
    return len(set(numbers)) > 1
