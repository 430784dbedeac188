"""How a kernel takes the sum that a second sweep keeps, where that sweep adds lane by lane."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.checks.condition import refuted
from tritonopt.facts import Value
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import Accumulation, summed_tile
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class FullSum:
    """Along which axes of the tile an accumulator is summed, in its loop or behind it."""

    axes: tuple[int, ...]
    keep_dims: bool = False
    uses: tuple[ast.Call, ...] = ()
    """The sums behind the loop."""


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
        escapes = f"{added.name} is used after its loop other than through its sum"
        raise refuted("nothing-else-is-lost", "accumulator-is-read", escapes)
    ((axes, keep_dims),) = kinds
    return FullSum(axes, keep_dims, uses)


def _reads_of_lanes(sweeps: TwoSweeps, name: str) -> list[ast.Name]:
    """Where the kernel reads what the second sweep left in the accumulator, lane by lane."""
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
