"""Names coupled with an extreme: its index, and sums of exponentials below it.

best = tl.where(new > top, start + place, best)           the index of the largest
l = l * tl.exp(m - new) + tl.sum(tl.exp(x - new))         a sum that is rescaled
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.effects import Loop
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.values import Value

EXPONENTIALS = frozenset({"exp", "exp2"})
_ABOVE = {Op.GT: Kind.MAX, Op.LT: Kind.MIN}
_INDICES = frozenset({"max", "min", "argmax", "argmin"})


@dataclass(frozen=True)
class Coupled:
    """The extreme that an accumulator is the index of, or a sum of exponentials below."""

    name: str
    kind: Kind
    """Of the extreme."""
    exponential: str = ""
    """For a sum of exponentials below it, their function; "" for its index."""
    guarded: bool = False
    """Whether 0 is subtracted, and not the extreme, where that is -inf."""


def coupled(
    facts: KernelFacts, loop: Loop, name: str, is_free: Callable[[Value], bool]
) -> Coupled | None:
    """The extreme that an accumulator belongs to; None where it stands alone.

    `is_free` says whether a value depends on nothing that the loop carries.
    """
    reader = _Reader(facts, loop, is_free)
    return reader.index(name) or reader.scaled(name)


def extreme_chosen(loop: Loop, name: str, is_free: Callable[[Value], bool]) -> Kind | None:
    """What `top = tl.where(x > top, x, top)` keeps; None where it is anything else."""
    end, own = loop.following[name], loop.carried[name]
    if end.op not in (Op.WHERE, Op.PHI) or end.other is not own or not is_free(end.then):
        return None
    return _compared(end.condition, end.then, own)


def _compared(condition: Value, new: Value, own: Value) -> Kind | None:
    """The extreme of which `new > own` says that it is a new one."""
    if condition.op not in _ABOVE:
        return None
    if condition.left is new and condition.right is own:
        return _ABOVE[condition.op]
    if condition.left is own and condition.right is new:
        return Kind.MIN if condition.op is Op.GT else Kind.MAX
    return None


@dataclass(frozen=True)
class _Reader:
    facts: KernelFacts
    loop: Loop
    is_free: Callable[[Value], bool]

    def index(self, name: str) -> Coupled | None:
        """Where the name is the index of the first of the largest elements, or of the least."""
        end, own = self.loop.following[name], self.loop.carried[name]
        if end.op not in (Op.WHERE, Op.PHI) or end.other is not own:
            return None
        if not self.is_free(end.then) or not self._rises(end.then):
            return None
        for partner, carried in self.loop.carried.items():
            sides = end.condition.operands
            if carried not in sides or end.condition.op not in _ABOVE:
                continue
            new = sides[0] if sides[1] is carried else sides[1]
            found = _compared(end.condition, new, carried)
            if found is not None and self._keeps(partner, new, end.condition, found):
                return Coupled(partner, found)
        return None

    def _keeps(self, name: str, new: Value, condition: Value, kind: Kind) -> bool:
        """Whether the partner becomes `new` just where the condition holds."""
        end, own = self.loop.following[name], self.loop.carried[name]
        if not self.is_free(new):
            return False
        if end.op in (Op.WHERE, Op.PHI):
            return end.condition is condition and end.then is new and end.other is own
        return (
            end.op is kind.operation and end.attribute is None and set(end.operands) == {own, new}
        )

    def _rises(self, index: Value) -> bool:
        """Whether the index of a later turn is always larger: a turn has a tile of its own."""
        if index.op is not Op.ADD:
            return False
        for place, first in ((index.left, index.right), (index.right, index.left)):
            extent = _extent_of_place(place)
            if extent is None:
                continue
            forms = self.facts.forms
            tile = Polynomial.of(Iteration(self.loop.identity)) * forms.of(extent)
            rest = forms.of(first) - tile
            if not any(varies_with(atom, self.loop) for atom in rest.atoms):
                return True
        return False

    def scaled(self, name: str) -> Coupled | None:
        """Where the name is a sum of exponentials of what is less than a running maximum."""
        end, own = self.loop.following[name], self.loop.carried[name]
        if end.op is not Op.ADD:
            return None
        for kept, added in ((end.left, end.right), (end.right, end.left)):
            if kept.op is not Op.MUL or own not in kept.operands:
                continue
            factor = kept.right if kept.left is own else kept.left
            for partner, carried in self.loop.carried.items():
                new, least = self.loop.following[partner], self._subtracted(factor, carried)
                if least is None or not self._is_maximum(new, carried):
                    continue
                guarded = _is_guarded(least, new)
                if (guarded or least is new) and self._is_below(added, least, factor.function):
                    return Coupled(partner, Kind.MAX, factor.function, guarded)
        return None

    def _is_maximum(self, new: Value, carried: Value) -> bool:
        if new.op is not Op.MAXIMUM or new.attribute is not None or carried not in new.operands:
            return False
        return self.is_free(new.right if new.left is carried else new.left)

    def _subtracted(self, factor: Value, carried: Value) -> Value | None:
        """`new` of `tl.exp(m - new)`; None where it is something else."""
        if factor.op is not Op.ELEMENTWISE or factor.function not in EXPONENTIALS:
            return None
        (below,) = factor.operands
        return below.right if below.op is Op.SUB and below.left is carried else None

    def _is_below(self, added: Value, new: Value, base: str) -> bool:
        """Whether what a turn adds is made of exponentials below the new maximum, linearly."""
        if added.op is Op.ELEMENTWISE and added.function == base:
            (below,) = added.operands
            if below.op is not Op.SUB or not self.is_free(below.left):
                return False
            least = below.right
            while least.op is Op.INSERT_AXES:
                least = least.operand
            return least is new
        if added.op is Op.REDUCE and added.reduction.name == "sum":
            return self._is_below(added.operand, new, base)
        if added.op is Op.WHERE and self.is_free(added.condition) and added.other.constant == 0:
            return self._is_below(added.then, new, base)
        return False


def _is_guarded(value: Value, extreme: Value) -> bool:
    """Whether it is `tl.where(extreme == -float("inf"), 0.0, extreme)`."""
    if value.op is not Op.WHERE or value.other is not extreme or value.then.constant != 0:
        return False
    condition = value.condition
    return condition.op is Op.EQ and {extreme} == {
        side for side in condition.operands if side.constant != -math.inf
    }


def _extent_of_place(place: Value) -> Value | None:
    """Of an index in a tile of one axis, the extent of the tile; None of anything else."""
    if place.op is Op.PART and place.attribute == 1 and place.operand.op is Op.RESHAPED:
        function, tile = place.operand.function, place.operand.operand
    elif place.op is Op.REDUCE:
        function, tile = place.reduction.name, place.operand
    else:
        return None
    known = function in _INDICES and (place.op is Op.PART or function.startswith("arg"))
    return tile.shape[0] if known and tile.shape is not None and len(tile.shape) == 1 else None
