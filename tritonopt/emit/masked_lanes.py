"""Loads of the same elements that differ in what the lanes hold where the mask is off."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.writing import Writer
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.uses import SameValues, users
from tritonopt.facts.values import is_float

_EXACT = (0.0, 1.0, -1.0, float("inf"), float("-inf"))
"""What every float type has, so that it may be filled in before or after a cast."""


@dataclass(frozen=True)
class MaskedTile:
    """A masked load, with or without a cast around it."""

    value: Value
    load: Effect

    @property
    def mask(self) -> Value:
        assert self.load.mask is not None
        return self.load.mask


def masked_tile(facts: KernelFacts, node: ast.expr) -> MaskedTile | None:
    value = facts.values[node]
    inner = value.operand if value.op is Op.CAST else value
    if inner.op is not Op.LOAD:
        return None
    load = facts.interpretation.loads[inner.number]
    plain = load.mask is not None and not load.mask.is_none and not load.volatile
    return MaskedTile(value, load) if plain and not load.inlined else None


@dataclass(frozen=True)
class MaskedLanes:
    """What becomes of the lanes that a mask turns off."""

    facts: KernelFacts
    same: SameValues

    @cached_property
    def _alike(self) -> SameValues:
        return SameValues(self.facts, any_other=True)

    @cached_property
    def _users(self) -> dict[int, list[Value]]:
        return users(self.facts.interpretation)

    def are_alike(self, one: Value, other: Value) -> bool:
        """Whether two tiles are the same but for their masked lanes."""
        inner = one.operand if one.op is Op.CAST else one
        return inner.op is Op.LOAD and self._alike.number(one) == self._alike.number(other)

    def reach(self, tile: MaskedTile) -> bool:
        """Whether what the masked lanes hold may be seen in anything that the kernel does."""
        seen = {tile.value.serial}
        todo = [tile.value]
        for value in todo:  # it grows meanwhile
            if self._is_seen(value, tile.mask):
                return True
            for user in self._users.get(value.serial, []):
                if user.serial in seen or self._is_cleared(user, value, tile.mask):
                    continue
                if user.op not in ELEMENTWISE:
                    return True
                seen.add(user.serial)
                todo.append(user)
        return False

    def _is_cleared(self, user: Value, value: Value, mask: Value) -> bool:
        """`tl.where(mask, value, ...)`: the masked lanes are not taken from the value."""
        if user.op is not Op.WHERE or not self._same(user.condition, mask):
            return False
        return value is user.then and value is not user.other

    def _is_seen(self, value: Value, mask: Value) -> bool:
        """Whether an access or a loop takes the value, other than to store it where the mask is."""
        for effect in self.facts.effects:
            if value in (effect.pointer, effect.mask, effect.other):
                return True
            if any(guard.condition is value for guard in effect.guards):
                return True
            stored = effect.stored is value
            if stored and (
                effect.kind is not EffectKind.STORE or not self._same(effect.mask, mask)
            ):
                return True
        ends = (end for loop in self.facts.loops for end in (loop.initial, loop.following))
        return any(value is held for end in ends for held in end.values())

    def _same(self, one: Value | None, other: Value) -> bool:
        return one is not None and self.same.number(one) == self.same.number(other)

    def chosen(self, name: str, tile: MaskedTile) -> str | None:
        """The tile with what the load has in its masked lanes, from one with something else."""
        call = tile.load.node
        if not isinstance(call, ast.Call):
            return None
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        given.update(zip(("pointer", "mask", "other"), call.args, strict=False))
        text = self.facts.kernel.module.text_of
        other = tile.load.other
        filler: str | None = "0"
        if other is not None and not other.is_none:
            filler = self._filler(tile, other, text(given["other"]))
        if filler is None or "\n" in text(given["mask"]):
            return None
        where = Writer(self.facts).language("where")
        return f"{where}({text(given['mask'])}, {name}, {filler})"

    def _filler(self, tile: MaskedTile, other: Value, text: str) -> str | None:
        """What is filled in, if it stays what it is in whatever type the tile has."""
        number = other.constant
        if type(number) not in (int, float) or number not in _EXACT:
            return None
        return text if type(number) is int or is_float(tile.value.dtype) else None
