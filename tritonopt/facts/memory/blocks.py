"""An access of a block as one of a tile of pointers with a mask, which has index forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.interpretation import Interpretation, is_made
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value


@dataclass(frozen=True)
class _Block:
    base: Value
    shape: Sequence[Value]
    strides: Sequence[Value]
    offsets: Sequence[Value]
    extents: Sequence[Value]
    is_descriptor: bool = False
    padding: Value | None = None


def read_as_tiles(record: Interpretation) -> None:
    """Replace the accesses of blocks, where it is known how they were made and how they moved."""
    for at, effect in enumerate(record.effects):
        tile = _tile(record, effect)
        if tile is not None:
            record.effects[at] = tile
            if tile.kind is EffectKind.LOAD:
                record.loads[tile.order] = tile


def _tile(record: Interpretation, effect: Effect) -> Effect | None:
    table, pointer = record.table, effect.pointer
    block = _block(record, pointer) if pointer is not None else None
    checked = _checked(effect, block) if block is not None else None
    if block is None or checked is None:
        return None
    pointer, mask = block.base, None
    every = zip(block.shape, block.strides, block.offsets, block.extents, strict=True)
    for axis, (size, stride, offset, extent) in enumerate(every):
        if offset.shape != () or extent.shape != ():
            return None
        lanes = table.make(Op.LANE, (extent,), shape=(extent,), dtype="int32")
        place = table.elementwise(Op.ADD, (offset, lanes))
        place = table.insert_axes(place, tuple(a != axis for a in range(len(block.extents))))
        pointer = table.elementwise(Op.ADD, (pointer, table.elementwise(Op.MUL, (place, stride))))
        if axis in checked:
            tests = [table.elementwise(Op.LT, (place, size))]
            if any(part.op in (Op.SUB, Op.NEG) for part in offset.walk()):
                tests.append(table.elementwise(Op.GE, (place, table.constant(0))))
            for test in tests:
                mask = test if mask is None else table.elementwise(Op.AND, (mask, test))
    padding = block.padding if block.is_descriptor else effect.padding
    is_filled = block.is_descriptor or (padding is not None and not padding.is_none)
    is_nan = padding is not None and padding.constant == "nan"
    other = table.constant(math.nan if is_nan else 0.0) if is_filled else None
    return replace(effect, pointer=pointer, mask=mask, other=other, block=effect.pointer)


def _checked(effect: Effect, block: _Block) -> frozenset[int] | None:
    """The axes along which it stays inside; None where that is not known."""
    if block.is_descriptor:
        return frozenset(range(len(block.extents)))
    if effect.checked is None or effect.checked.is_none:
        return frozenset()
    axes = effect.checked.operands if effect.checked.op is Op.TUPLE else (effect.checked,)
    known = frozenset(axis.constant for axis in axes if isinstance(axis.constant, int))
    return known if len(known) == len(axes) else None


def _block(record: Interpretation, pointer: Value) -> _Block | None:
    match pointer.op:
        case Op.BLOCK_POINTER if is_made(pointer):
            return _of_parts(pointer.operand, pointer.operands[1:5])
        case Op.BLOCK_POINTER if pointer.function == "advance":
            return _moved(record, pointer.operand, pointer.operands[1].operands)
        case Op.BLOCK_POINTER if pointer.function == "descriptor" and len(pointer.operands) == 2:
            made, place = pointer.operands
            if made.op is not Op.BLOCK_POINTER or not made.function.endswith("descriptor"):
                return None
            base, shape, strides, extents, padding = made.operands
            block = _of_parts(base, (shape, strides, place, extents))
            return block and replace(block, is_descriptor=True, padding=padding)
        case Op.CARRIED:
            loop, name = record.loops[pointer.carrier.loop], pointer.carrier.name
            following, steps = loop.following.get(name), list[Value]()
            while following is not None and following.op is Op.BLOCK_POINTER:
                if following.function != "advance":
                    return None
                steps += following.operands[1:2]
                following = following.operand
            fixed = all(loop.identity not in record.variant_loops(step) for step in steps)
            if following is not pointer or loop.iteration is None or not fixed:
                return None
            multiply, number = record.table.elementwise, loop.iteration
            deltas = [tuple(multiply(Op.MUL, (number, d)) for d in s.operands) for s in steps]
            return _moved(record, loop.initial[name], *deltas)
    return None


def _of_parts(base: Value, parts: Sequence[Value]) -> _Block | None:
    lengths = {len(part.operands) for part in parts}
    if len(lengths) != 1 or any(part.op is not Op.TUPLE for part in parts):
        return None
    shape, strides, offsets, extents = (part.operands for part in parts)
    return _Block(base, shape, strides, offsets, extents)


def _moved(record: Interpretation, pointer: Value, *deltas: Sequence[Value]) -> _Block | None:
    block = _block(record, pointer)
    for delta in deltas:
        if block is None or len(delta) != len(block.offsets):
            return None
        pairs = zip(block.offsets, delta, strict=True)
        block = replace(block, offsets=[record.table.elementwise(Op.ADD, pair) for pair in pairs])
    return block
