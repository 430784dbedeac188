"""The maximum of -inf and the maximum of a tile: the latter, unless all of the tile is NaN.

`tl.maximum` drops a NaN, so a row of nothing else has the maximum -inf. Where whatever is made of
that maximum is combined with an element of the row too, all of it is NaN either way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import EXTREMES
from tritonopt.facts.uses import users
from tritonopt.facts.values import is_float
from tritonopt.source import Change, ReplaceExpression
from tritonopt.transforms.one_tile.same_values import SameValues
from tritonopt.transforms.one_tile.stretch import Stretch

_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.CAST})
_PASSING_NAN = frozenset({"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "abs"})


def without_least(stretch: Stretch) -> list[Change]:
    """Takes -inf out of a maximum, and inf out of a minimum; empty where none can go."""
    for statement in stretch.statements:
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Call(args=[left, right]) as call):
                extremes = _Extremes(stretch.facts, call)
                for one, other in ((left, right), (right, left)):
                    if extremes.is_only(one, other):
                        text = stretch.facts.kernel.module.text_of(other)
                        return [ReplaceExpression(call, text)]
    return []


@dataclass(frozen=True)
class _Extremes:
    facts: KernelFacts
    call: ast.Call

    @cached_property
    def _same(self) -> SameValues:
        return SameValues(self.facts)

    def is_only(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether the call gives nothing but the second of its arguments."""
        name = function(self.facts.kernel.module.resolve(self.call.func))
        kind = EXTREMES.get(name)
        whole, number, extreme = (self.facts.values.get(n) for n in (self.call, one, other))
        if kind is None or whole is None or number is None or extreme is None:
            return False
        if number.constant != kind.identity:
            return False
        inner = extreme.operand if extreme.op is Op.CAST else extreme
        if inner.op is not Op.REDUCE or inner.reduction.name != kind.reduction:
            return False
        typed = is_float(extreme.dtype) and whole.dtype in (extreme.dtype, None)
        return typed and self._is_mixed(whole, inner.operand)

    def _is_mixed(self, extreme: Value, tile: Value) -> bool:
        """Whether all that takes the extreme takes elements of the tile as well."""
        facts, loops = self.facts, self.facts.loops
        held = [v for loop in loops for end in (loop.initial, loop.following) for v in end.values()]
        accesses = [v for e in facts.effects for v in (e.pointer, e.mask, e.other, e.stored)]
        asked = [guard.condition for e in facts.effects for guard in e.guards]
        if any(extreme is value for value in (*held, *accesses, *asked)):
            return False
        return all(
            user.op in _ARITHMETIC
            and any(o is not extreme and self._is_nan(o, tile) for o in user.operands)
            for user in users(facts.interpretation).get(extreme.serial, [])
        )

    def _is_nan(self, value: Value, tile: Value) -> bool:
        """Whether a value is NaN throughout where the tile is."""
        wanted = self._same.number(tile)
        todo, seen = [value], {value.serial}
        for part in todo:  # it grows meanwhile
            if self._same.number(part) == wanted:
                return True
            more = [p for p in self._passing(part, tile) if p.serial not in seen]
            seen.update(p.serial for p in more)
            todo += more
        return False

    def _passing(self, value: Value, tile: Value) -> Iterator[Value]:
        """The operands of which one that is NaN makes the value NaN."""
        name = value.function.rsplit(".", 1)[-1]
        if value.op in _ARITHMETIC or (value.op is Op.ELEMENTWISE and name in _PASSING_NAN):
            yield from value.operands
        elif value.op is Op.REDUCE and value.reduction.name == "sum":
            yield value.operand
        elif value.op is Op.WHERE and self._is_its_mask(value.condition, tile):
            yield value.then

    def _is_its_mask(self, condition: Value, tile: Value) -> bool:
        """A lane that the mask turns off holds no NaN, so it is on in all of such a tile."""
        inner = tile.operand if tile.op is Op.CAST else tile
        if inner.op is not Op.LOAD:
            return False
        mask = self.facts.interpretation.loads[inner.number].mask
        return mask is not None and self._same.number(mask) == self._same.number(condition)
