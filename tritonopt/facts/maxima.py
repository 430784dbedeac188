"""Maxima: what a sweep keeps as the largest so far, in whichever of the usual ways it is written.

m = tl.maximum(m, tl.max(x, axis=0))    reduced in the loop
m = tl.max(tl.maximum(x, m), axis=0)    the same
m = tl.maximum(m, x)                    lane by lane, reduced after the loop or not at all
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import reduced_tile
from tritonopt.facts.values import FLOAT_BITS, is_integer

_CLAIM = "exponents-are-below-the-maximum"
_LARGEST = 3.4028234663852886e38
"""The largest number of fp32."""


@dataclass(frozen=True)
class RunningMaximum:
    """A carried name that is the largest element so far in every iteration."""

    name: str
    loop: Loop
    start: float
    """The number that it starts with: -inf, or a finite one."""
    tile: Value
    """What it is the maximum of."""
    shape: tuple[Value, ...]
    """Of the tile."""
    axes: tuple[int, ...]
    """Axes of the tile that are reduced in the loop, from the left; none if lane by lane."""
    keep_dims: bool
    """Whether these axes are kept, with extent 1."""
    dtype: str
    update: ast.Assign
    """The statement of the loop's own body that binds the name."""

    @property
    def result(self) -> Value:
        """What it is after the loop."""
        return self.loop.result[self.name]

    @property
    def starts_at_infinity(self) -> bool:
        return math.isinf(self.start)


def takes_extremes(facts: KernelFacts, loop: Loop, name: str) -> bool:
    """Whether a loop makes a name from itself and a maximum or a minimum."""
    parts = list(loop.following[name].walk())
    extremes = (Op.MAXIMUM, Op.MINIMUM)
    reduces = any(v.op is Op.REDUCE and v.reduction.name in ("max", "min") for v in parts)
    return loop.carried[name] in parts and (reduces or any(v.op in extremes for v in parts))


def running_maximum(facts: KernelFacts, loop: Loop, name: str) -> RunningMaximum:
    """Raises Declined where the loop does anything else with the name."""
    found = _tile_of(loop.following[name], loop.carried[name])
    line = f"the loop in line {loop.line}"
    if found is None:
        other = f"{line} does something else with {name} than to keep the largest element"
        raise refuted(_CLAIM, "not-an-exponential", other)
    tile, axes, keep_dims = found
    if tile.shape is None:
        raise unknown(_CLAIM, "opaque-value", f"the shape of what {line} takes in is not known")
    start = number_of(loop.initial[name])
    if start is None or math.isnan(start) or start > _LARGEST or -math.inf < start < -_LARGEST:
        other = f"{name} starts with something other than -inf or a finite number"
        raise refuted(_CLAIM, "accumulator-starts-elsewhere", other)
    dtype = loop.carried[name].dtype
    if is_integer(dtype):
        integers = f"{name} is the largest of integers; only those of floats are merged"
        raise refuted("type-stays", "data-is-integer", integers)
    if dtype not in FLOAT_BITS or FLOAT_BITS[dtype] < 32:
        shown = dtype or "of a type that the kernel does not show"
        raise refuted("accumulators-are-wide", "accumulator-is-narrow", f"{name} is {shown}")
    update = _update(loop, name)
    return RunningMaximum(name, loop, start, tile, tile.shape, axes, keep_dims, dtype, update)


def number_of(value: Value) -> float | None:
    """The number that a value is in all lanes, where the kernel says it."""
    match value.op:
        case Op.CONST:
            number = value.constant
            plain = isinstance(number, (int, float)) and not isinstance(number, bool)
            return float(number) if plain else None  # type: ignore[arg-type]
        case Op.FULL | Op.BROADCAST_TO:
            return number_of(value.operand)
        case Op.NEG:
            number = number_of(value.operand)
            return None if number is None else -number
        case Op.ADD | Op.SUB:
            left, right = number_of(value.left), number_of(value.right)
            if left is None or right is None:
                return None
            return left + right if value.op is Op.ADD else left - right
    return None


def _tile_of(following: Value, carried: Value) -> tuple[Value, tuple[int, ...], bool] | None:
    """What is taken in, which of its axes are reduced in the loop, and whether they are kept."""
    reduced, axes = reduced_tile(following, "max")
    if axes:  # m = tl.max(tl.maximum(x, m))
        keeps = following.reduction.keep_dims
        other = _other_side(reduced, carried, axes)
        return None if other is None or other.shape != reduced.shape else (other, axes, keeps)
    other = _other_side(following, carried, ())
    if other is None:
        return None
    tile, axes = reduced_tile(other, "max")
    if axes:
        # A number that starts with the shape of a tile is that tile's own affair.
        if other.shape != carried.shape:
            return None
        return tile, axes, other.reduction.keep_dims
    return (other, (), False) if other.shape == carried.shape else None


def _other_side(value: Value, carried: Value, axes: tuple[int, ...]) -> Value | None:
    """What a maximum takes beside the carried name, which may have axes inserted."""
    if value.op is not Op.MAXIMUM:
        return None
    if value.attribute is not None:
        kept = "the maximum keeps NaN, which a maximum over a tile drops"
        raise refuted(_CLAIM, "nan-is-propagated", kept)
    for own, other in ((value.left, value.right), (value.right, value.left)):
        if own is carried and (not axes or not carried.shape):
            return other
        if own.op is Op.INSERT_AXES and own.operand is carried:
            assert isinstance(own.attribute, tuple)
            if axes == tuple(i for i, new in enumerate(own.attribute) if new):
                return other
    return None


def _update(loop: Loop, name: str) -> ast.Assign:
    """The one statement that binds the name, in the loop's own body."""
    statements = [
        node
        for node in ast.walk(loop.node)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    for statement in loop.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name() as target]) if statements == [target]:
                return statement
    text = f"line {loop.line} has no plain assignment that alone binds {name}"
    raise unknown("is-expressible", "not-expressible", text)
