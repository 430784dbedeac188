"""Calls of a launcher that were seen, as `--args` writes them: each one, and all together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from string import ascii_lowercase
from typing import Any

from tritonopt.verification.capture.generalize import NotGeneral, generalize
from tritonopt.verification.capture.seen_facts import with_facts
from tritonopt.verification.signature.argument_language import (
    Argument,
    FormulaArgument,
    SizeArgument,
    TensorArgument,
    parse,
    short_name,
)

_MOST_VALUES = 4
"""Of an argument that is no tensor and no size, so many are drawn."""


@dataclass(frozen=True)
class SeenForm:
    """Calls with tensors of the same ranks; sizes that are the same in each have one name."""

    calls: Sequence[Mapping[str, Any]]
    """The arguments of each, as `seen_calls` has them."""
    named: Mapping[str, Argument]
    """Tensors, and whole numbers that are told by the sizes or never changed."""

    @staticmethod
    def of(calls: Sequence[Mapping[str, Any]], *, all_sizes: bool = False) -> SeenForm:
        """Raises NotGeneral where something is passed that cannot be written.

        With `all_sizes` what never changed in a shape has a name as well.
        """
        for name, value in ((n, v) for call in calls for n, v in call.items()):
            if "other" in value:
                raise NotGeneral(f"`{name}` is a {value['other']}")
        told = [{n: v for n, v in call.items() if _is_told(n, calls)} for call in calls]
        form = generalize([{"arguments": x, "grid": []} for x in told], all_sizes=all_sizes)
        # What a kernel is told of strides a launcher is not: 1 is a dimension there, or a flag.
        arguments = [a for a in parse(form.args).arguments if not isinstance(a, FormulaArgument)]
        return SeenForm(calls, {argument.name: argument for argument in arguments})

    def each(self) -> Iterator[str]:
        """Every call by itself: one type for each tensor, and the values that were passed."""
        for call in self.calls:
            parts = []
            for name, value in call.items():
                argument = self.named.get(name)
                if isinstance(argument, TensorArgument):
                    dtype = short_name(value["dtype"])
                    parts.append(str(replace(argument, dtypes=(dtype,))))
                elif argument is not None and "shape" in value:
                    parts.append(str(argument))
                else:
                    parts.append(f"{name}: {_value(value)}")
            yield ", ".join(parts)

    def all_together(self) -> str:
        """What others like them are drawn from: every type that a tensor had, every value."""
        return ", ".join(map(self._drawn, self.calls[0]))

    def _drawn(self, name: str) -> str:
        if name in self.named:
            return str(self.named[name])
        column = [call[name] for call in self.calls]
        if all("numbers" in value for value in column):
            places = zip(*(value["numbers"] for value in column), strict=False)
            return f"{name}: ({', '.join(map(self._size, places))},)"
        return f"{name}: {'|'.join(list(dict.fromkeys(map(_value, column)))[:_MOST_VALUES])}"

    def _size(self, numbers: Sequence[int]) -> str:
        """The name of the size that these were, call by call; else the number."""
        for tensor in self.named.values():
            if isinstance(tensor, TensorArgument):
                shapes = [call[tensor.name]["shape"] for call in self.calls]
                for size, column in zip(tensor.shape, zip(*shapes, strict=True), strict=True):
                    if list(column) == list(numbers):
                        return str(size)
        if len(set(numbers)) > 1:
            raise NotGeneral(f"numbers in a tuple were {', '.join(map(str, numbers))}")
        return str(numbers[0])


def drawn_forms(calls: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What others like these calls are drawn from: first with every size as free as it may be,
    which the launcher may not take; then as they were.

    A benchmark has one hidden size, or squares: with these alone the tail of a row, and which side
    is which, would not be seen.
    """
    if any(_is_computed(name, calls) for name in calls[0]):
        return ()
    found = []
    with suppress(NotGeneral):
        found.append(_widest(calls))
    with suppress(NotGeneral):
        found.append(SeenForm.of(calls).all_together())
    return tuple(dict.fromkeys(found))


def related_forms(
    calls: Sequence[Mapping[str, Any]], tiles: Collection[str] = ()
) -> tuple[str, ...]:
    """The first of these, where sizes are as free as facts let them that held in every call: the
    launcher may need such. With few facts first, with all last; none where there are no facts.

    `tiles` are arguments that may be the length of a tile.
    """
    with suppress(NotGeneral):
        computed = [name for name in calls[0] if _is_computed(name, calls)]
        found = with_facts(parse(_widest(calls)), calls, tiles)
        return tuple(
            str(form)
            for form in found
            if all(isinstance(form.get(name), SizeArgument) for name in computed)
        )
    return ()


def _widest(calls: Sequence[Mapping[str, Any]]) -> str:
    return _with_sides(SeenForm.of(calls, all_sizes=True).all_together())


def _is_computed(name: str, calls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a whole number was the product of several sizes: to be drawn it had to be one again,
    and no name stands for that."""
    values = [call[name].get("value") for call in calls]
    if len(set(map(str, values))) < 2 or not all(type(value) is int for value in values):
        return False
    products: dict[int, list[list[int]]] = {1: [], 2: []}
    for other in calls[0]:
        shapes = [call[other].get("shape", ()) for call in calls]
        if len({len(shape) for shape in shapes}) == 1:
            for start, end in combinations(range(len(shapes[0]) + 1), 2):
                found = [prod(shape[start:end]) for shape in shapes]
                products[min(end - start, 2)].append(found)
    return values in products[2] and values not in products[1]


def _with_sides(text: str) -> str:
    """With a name for each side of squares: sides that are as far from the last one are the same.

    Where something else is told by such a size, it stays one.
    """
    arguments = parse(text).arguments
    tensors = [a for a in arguments if isinstance(a, TensorArgument)]
    twice = {d for t in tensors for d in t.shape if type(d) is str and t.shape.count(d) > 1}
    others = [str(a) for a in arguments if not isinstance(a, TensorArgument)]
    told = set(re.findall(r"\w+", " ".join(others))) | {str(t.high) for t in tensors}
    names = {d for t in tensors for d in t.shape} | {a.name for a in arguments}
    free = (n for n in ascii_lowercase if n not in names)
    sides: dict[tuple[object, int], str] = {}
    for tensor in tensors:
        for place, size in enumerate(reversed(tensor.shape)):
            if place and size in twice - told and (size, place) not in sides:
                sides[size, place] = next(free, str(size))
    parts = []
    for argument in arguments:
        if isinstance(argument, TensorArgument):
            last = len(argument.shape) - 1
            shape = tuple(sides.get((d, last - at), d) for at, d in enumerate(argument.shape))
            argument = replace(argument, shape=shape)
        parts.append(str(argument))
    return ", ".join(parts)


def _is_told(name: str, calls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it is a tensor in every call, or a whole number in every call."""
    column = [call[name] for call in calls]
    return all("shape" in v or type(v.get("value")) is int for v in column)


def _value(value: Mapping[str, Any]) -> str:
    if "numbers" in value:
        return f"({', '.join(map(str, value['numbers']))},)"
    return str(value["type"]) if "type" in value else repr(value["value"])
