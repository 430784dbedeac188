"""What is close to a number that is known only later, and is known in time.

The logarithm of a sum of exponentials is close to the maximum, and a maximum is known so far in
every iteration. Whatever it is, taking it from both sides of a difference changes nothing but how
many digits cancel.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.emit.writing import names_bound
from tritonopt.facts import Value
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import number_of, takes_extremes


@dataclass(frozen=True)
class Reference:
    """A maximum that goes into a number."""

    name: str
    """What the kernel calls it."""
    shape: tuple[Value, ...]
    is_running: bool
    """The first sweep carries it, and it changes there."""
    may_be_infinite: bool = False
    """It starts with -inf."""


def reference_for(sweeps: TwoSweeps, number: ast.expr) -> Reference | None:
    """A maximum that a number of the second sweep is a sum with.

    Where it is infinite, so is the number, or NaN.
    """
    for part, is_whole in _addends(sweeps.facts.values[number]):
        found = _maximum(sweeps, part)
        if found is not None and (is_whole or found.is_running):
            return found
    return None


def _addends(value: Value, is_whole: bool = True) -> Iterator[tuple[Value, bool]]:
    """What is added up in a value; of a part of which the largest lane is added that is said."""
    match value.op:
        case Op.ADD:
            for side in value.operands:
                yield from _addends(side, is_whole)
        case Op.SUB:
            yield from _addends(value.left, is_whole)
        case Op.INSERT_AXES:
            yield from _addends(value.operand, is_whole)
        case Op.REDUCE if value.reduction.name == "max":
            yield from _addends(value.operand, False)
        case Op.RESULT:
            yield value, is_whole


def _maximum(sweeps: TwoSweeps, value: Value) -> Reference | None:
    facts, first = sweeps.facts, sweeps.first
    loop, name = facts.loops[value.carrier.loop], value.carrier.name
    wide = facts.precision.is_wide(value)
    if not wide or value.shape is None or not takes_extremes(facts, loop, name):
        return None
    if loop is first:
        if not value.shape and value.dtype not in (None, "fp32"):
            return None  # a number of 64 bits that is 0 cannot be written
        start = number_of(loop.initial[name])
        return Reference(name, value.shape, True, start is None or math.isinf(start))
    changed = names_bound(first.node)
    for known, held in facts.before[first.node].items():
        if held is value and known not in changed:
            return Reference(known, value.shape, False)
    return None
