"""Sums and maxima that a sweep keeps, in whichever of the usual ways they are written.

acc += x                         lane by lane, summed after the loop
acc = tl.where(m, acc + x, acc)  the same, as torch inductor prints it
acc += tl.sum(x, axis=0)         summed in the loop
for ...: for ...: acc += x       over a nest of loops

m = tl.maximum(m, tl.max(x, axis=0))    reduced in the loop
m = tl.max(tl.maximum(x, m), axis=0)    the same
m = tl.maximum(m, x)                    lane by lane, reduced after the loop or not at all
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.effects import Loop
from tritonopt.facts.operations import Op
from tritonopt.facts.values import FLOAT_BITS, Value, is_integer
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts
    from tritonopt.facts.loop_nests import TwoSweeps


@dataclass(frozen=True)
class Accumulation:
    """A carried name to which every iteration of a nest of loops adds."""

    name: str
    loops: tuple[Loop, ...]
    """Outermost first; the name is added to in the innermost one."""
    initial: Value
    term: Polynomial
    """What is added, lane by lane, before any reduction in the loop."""
    tile: Value
    """The value of which `term` is the form, where the kernel reduces it in the loop;
    else the value that the name has after one addition."""
    shape: tuple[Value, ...]
    """Of the tile."""
    axes: tuple[int, ...]
    """Axes of the tile that are summed in the loop, from the left; none if lane by lane."""
    keep_dims: bool
    """Whether that sum keeps the summed axes, with extent 1."""
    scale: Polynomial
    """A factor, the same in all iterations, that is applied after the reduction."""
    update: ast.stmt | None
    """The statement of the innermost loop's own body that binds the name last."""


def accumulation(facts: KernelFacts, forms: Forms, loop: Loop, name: str) -> Accumulation | None:
    """How a loop adds to a name; None when it does anything else with it."""
    loops = [loop]
    following = loop.following[name]
    while following.op is Op.RESULT:
        inner = facts.loops[following.carrier.loop]
        if inner.parent is not loops[-1] or following.carrier.name != name:
            return None
        if inner.initial[name] is not loops[-1].carried[name]:
            return None
        loops.append(inner)
        following = inner.following[name]
    innermost = loops[-1]
    step = forms.recurrence_step(innermost, name)
    if step is None or step.is_zero:
        return None
    shape = innermost.carried[name].shape
    if shape is None:
        return None
    initial, update = loop.initial[name], _update(innermost, name)
    for value in following.walk():
        reduced = _reduced(forms, innermost, value, step)
        if reduced is not None and value.shape == shape:
            tile, axes, scale = reduced
            assert tile.shape is not None
            keeps, term = value.reduction.keep_dims, forms.of(tile)
            return Accumulation(
                name, tuple(loops), initial, term, tile, tile.shape, axes, keeps, scale, update
            )
    return Accumulation(name, tuple(loops), initial, step, following, shape, (), False, ONE, update)


def _reduced(
    forms: Forms, loop: Loop, value: Value, step: Polynomial
) -> tuple[Value, tuple[int, ...], Polynomial] | None:
    """(tile, summed axes, scale) if the step is that reduction times something invariant."""
    tile, axes = summed_tile(value)
    if not axes or tile.shape is None:
        return None
    scale = step.divided_by(forms.of(value))
    if scale is None or any(varies_with(a, loop) for a in scale.atoms):
        return None
    return tile, axes, scale


def summed_tile(value: Value) -> tuple[Value, tuple[int, ...]]:
    """The innermost operand of a sum, or of a sum of a sum, and its axes that are summed."""
    return reduced_tile(value, "sum")


def reduced_tile(value: Value, name: str) -> tuple[Value, tuple[int, ...]]:
    """The same of another reduction, by its name: "max" of a "max"."""
    chain: list[Value] = []
    while value.op is Op.REDUCE and value.reduction.name == name:
        chain.append(value)
        value = value.operand
    left = list(range(value.rank or 0))
    axes: list[int] = []
    for part in reversed(chain):
        _, positions, keep = part.reduction
        if keep and part is not chain[0]:
            return value, ()
        taken = [left[p] for p in positions]
        axes += taken
        if not keep:
            left = [a for a in left if a not in taken]
    return value, tuple(sorted(axes))


def _stores(node: ast.AST, name: str) -> list[ast.expr]:
    names = (n for n in walk(node) if isinstance(n, ast.Name) and n.id == name)
    return [n for n in names if isinstance(n.ctx, ast.Store)]


def _update(loop: Loop, name: str) -> ast.stmt | None:
    body = [] if loop.inlined else loop.node.body
    return next((s for s in reversed(body) if _stores(s, name)), None)


def nodes_of(facts: KernelFacts, statements: Sequence[ast.AST]) -> list[ast.expr]:
    """The expressions in some statements that have a value, outer ones first."""
    return [
        node
        for statement in statements
        for node in walk(statement)
        if isinstance(node, ast.expr) and node in facts.values
    ]


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
    found = _largest(loop, name)
    line = f"the loop in line {loop.line}"
    if found is None:
        other = f"{line} does more with {name} than keep the largest element"
        raise refuted(_CLAIM, "not-an-exponential", other)
    tile, axes, keep_dims = found
    if tile.shape is None:
        raise unknown(_CLAIM, "opaque-value", f"the shape of the elements in {line} is unknown")
    start = number_of(loop.initial[name])
    if start is None or math.isnan(start) or start > _LARGEST or -math.inf < start < -_LARGEST:
        other = f"{name} does not start at -inf or a finite number"
        raise refuted(_CLAIM, "accumulator-starts-elsewhere", other)
    dtype = loop.carried[name].dtype
    if is_integer(dtype):
        integers = f"{name} is the maximum of integers; only maxima of floats are merged"
        raise refuted("type-stays", "data-is-integer", integers)
    if dtype not in FLOAT_BITS or FLOAT_BITS[dtype] < 32:
        shown = dtype or "of unknown type"
        raise refuted("accumulators-are-wide", "accumulator-is-narrow", f"{name} is {shown}")
    update, stores = _update(loop, name), _stores(loop.node, name)
    if not isinstance(update, ast.Assign) or update.targets != stores:
        text = f"line {loop.line} has no plain assignment that alone binds {name}"
        raise unknown("is-expressible", "not-expressible", text)
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


def _largest(loop: Loop, name: str) -> tuple[Value, tuple[int, ...], bool] | None:
    """The tile of which a loop keeps the maximum, its axes that are reduced in the loop, and
    whether these are kept; None where it does anything else with the name."""
    following, carried = loop.following[name], loop.carried[name]
    inside, axes = reduced_tile(following, "max")
    if axes:  # m = tl.max(tl.maximum(x, m))
        other = _beside(inside, carried, axes)
        alike = other is not None and other.shape == inside.shape
        return (other, axes, following.reduction.keep_dims) if other and alike else None
    other = _beside(following, carried, ())
    # A number that starts with the shape of a tile is that tile's own affair.
    if other is None or other.shape != carried.shape:
        return None
    tile, axes = reduced_tile(other, "max")
    return tile, axes, bool(axes) and other.reduction.keep_dims


def _beside(value: Value, carried: Value, axes: tuple[int, ...]) -> Value | None:
    """What a maximum takes beside the carried name, which may have axes inserted."""
    if value.op is not Op.MAXIMUM:
        return None
    if value.attribute is not None:
        kept = "the maximum propagates NaN, which a maximum over a tile ignores"
        raise refuted(_CLAIM, "nan-is-propagated", kept)
    for own, other in ((value.left, value.right), (value.right, value.left)):
        if own is carried and (not axes or not carried.shape):
            return other
        spread = own.op is Op.INSERT_AXES and own.operand is carried
        if spread and axes == tuple(i for i, new in enumerate(own.pattern) if new):
            return other
    return None


@dataclass(frozen=True)
class FullSum:
    """Along which axes of the tile an accumulator is summed, in its loop or after it."""

    axes: tuple[int, ...]
    keep_dims: bool = False
    uses: tuple[ast.Call, ...] = ()
    """The sums after the loop."""


def full_sum(sweeps: TwoSweeps, added: Accumulation) -> FullSum:
    """Raises Declined where the kernel uses single lanes, or sums along several axes."""
    if added.axes or not added.shape:
        return FullSum(added.axes)
    facts, result = sweeps.facts, sweeps.second.result[added.name]
    sums: dict[ast.Call, tuple[tuple[int, ...], bool]] = {}
    for node, value in facts.values.items():
        tile, axes = summed_tile(value)
        if tile is result and axes and isinstance(node, ast.Call):
            sums[node] = (axes, value.reduction.keep_dims)
    nested = {inner for call in sums for inner in walk(call) if inner is not call}
    effects = {effect.node for effect in facts.effects}
    uses = tuple(call for call in sums if call not in nested)
    kinds = {sums[call] for call in uses}
    covered = {inner for call in uses for inner in walk(call)}
    reads = _reads_of_lanes(sweeps, added.name)
    whole = all(node in covered for node in reads) and not covered & effects
    if not reads or not whole or len(kinds) != 1:
        escapes = f"{added.name} is used after its loop, not only in its sum"
        raise refuted("nothing-else-is-lost", "accumulator-is-read", escapes)
    ((axes, keep_dims),) = kinds
    return FullSum(axes, keep_dims, uses)


def _reads_of_lanes(sweeps: TwoSweeps, name: str) -> list[ast.Name]:
    """Where the kernel reads what the second loop left in the accumulator, lane by lane."""
    facts, result = sweeps.facts, sweeps.second.result[name]
    inside = set(walk(sweeps.second.node))
    around = {loop.identity for loop in sweeps.second.nest}

    def holds_lanes(value: Value) -> bool:
        if value.op in (Op.RESULT, Op.CARRIED):
            return value.carrier.loop in around and value.carrier.name == name
        if value.op is Op.REDUCE and summed_tile(value)[0] is result:
            return False
        return any(holds_lanes(operand) for operand in value.operands)

    names = [n for n in facts.values if isinstance(n, ast.Name) and n not in inside]
    reads = [n for n in names if isinstance(n.ctx, ast.Load)]
    return [node for node in reads if holds_lanes(facts.values[node])]
