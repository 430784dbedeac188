"""Calls of a launcher that were seen, as `--args` writes them: each one, and all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tritonopt.verification.capture.generalize import NotGeneral, generalize
from tritonopt.verification.signature.argument_language import (
    Argument,
    FormulaArgument,
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
    def of(calls: Sequence[Mapping[str, Any]]) -> SeenForm:
        """Raises NotGeneral where something is passed that cannot be written."""
        for name, value in ((n, v) for call in calls for n, v in call.items()):
            if "other" in value:
                raise NotGeneral(f"`{name}` is a {value['other']}")
        told = [{n: v for n, v in call.items() if _is_told(n, calls)} for call in calls]
        form = generalize([{"arguments": each, "grid": []} for each in told])
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


def _is_told(name: str, calls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it is a tensor in every call, or a whole number in every call."""
    column = [call[name] for call in calls]
    return all("shape" in v or type(v.get("value")) is int for v in column)


def _value(value: Mapping[str, Any]) -> str:
    if "numbers" in value:
        return f"({', '.join(map(str, value['numbers']))},)"
    return str(value["type"]) if "type" in value else repr(value["value"])
