"""What stands behind the loop: the lanes of each tile put together."""

from __future__ import annotations

from collections.abc import Mapping

from tritonopt.facts.dtypes import BOOLEANS
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.transforms.deferral.accumulator_tile import AccumulatorTile, number_code
from tritonopt.transforms.vectorization.carried_names import Carried, LaneMerge


def lanes_together(carried: Carried, tiles: Mapping[str, AccumulatorTile]) -> str:
    """Code for one reduction of a tile, as it is after the loop."""
    accumulator = tiles[carried.name]
    language, combining = accumulator.writer.language, carried.combining
    name, tile = carried.name, accumulator.tile
    if combining in (Kind.ADD, Kind.XOR):
        function = language("sum" if combining is Kind.ADD else "xor_sum")
        sign = "=" if accumulator.start is not None else f"{combining.symbol}="
        return f"{name} {sign} {function}({tile}, axis=0)"
    greatest = combining in (Kind.MAX, Kind.OR)
    outer, inner = ("max", "min") if greatest else ("min", "max")
    if carried.kind is LaneMerge.CHOSEN_INNER:
        start = name if accumulator.filler is None else number_code(accumulator.filler)
        whole, outer, inner = f"{tile} == {start}", inner, outer
        tile = f"{language('where')}({whole}, {language(inner)}({tile}, axis=0), {tile})"
    elif carried.kind is LaneMerge.INDEX:
        beside = f"{tiles[carried.extremum].tile} == {carried.extremum}"
        tile = f"{language('where')}({beside}, {tile}, {language(inner)}({tile}, axis=0))"
    elif accumulator.dtype in BOOLEANS:
        reduced = f"{language(outer)}({tile}.to({language('int32')}), axis=0)"
        return f"{name} = {reduced} != 0"
    return f"{name} = {language(outer)}({tile}, axis=0)"
