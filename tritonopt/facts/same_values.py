"""Which values of a kernel are surely equal, though each is computed anew."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field

from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import Op
from tritonopt.facts.values import operands_first


@dataclass
class SameValues:
    """Numbers the values of a kernel: two have one number where they are surely equal.

    Values are that already, but for loads: two that read the same elements, with nothing between
    them that may write there, are one.
    """

    facts: KernelFacts
    any_other: bool = False
    """Take loads for one that differ only in `other`."""
    _numbers: dict[int, int] = field(default_factory=dict)
    _known: dict[Hashable, int] = field(default_factory=dict)

    def number(self, value: Value) -> int:
        for part in operands_first(value, self._numbers):
            self._numbers[part.serial] = self._known.setdefault(self._key(part), len(self._known))
        return self._numbers[value.serial]

    def _key(self, value: Value) -> Hashable:
        operands = tuple(self._numbers[o.serial] for o in value.operands)
        if value.op is Op.OPAQUE:
            return value.serial
        if value.op is not Op.LOAD:
            return value.op, operands, value.attribute, value.dtype
        load = self.facts.interpretation.loads[value.number]
        if load.volatile:
            return value.serial
        if self.any_other and len(operands) > 2:
            operands = operands[:2]
        return "load", operands, self.facts.memory_version(load), _cache_modifier(load)


def _cache_modifier(load: Effect) -> str:
    """Where the load looks first; not how long a line stays, which changes no value."""
    keywords = load.node.keywords if isinstance(load.node, ast.Call) else []
    return next((ast.dump(k.value) for k in keywords if k.arg == "cache_modifier"), "")
