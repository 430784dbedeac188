"""The ways to gather a sum and the squared deviations from its mean in one sweep.

Each gives the lines before the first loop, those in it, and those in place of the second.
"""

from __future__ import annotations

import ast

from tritonopt.emit.sweep_legality import Fusion
from tritonopt.emit.writing import NotExpressible, Writer, first_iteration
from tritonopt.facts import EffectKind, Loop, Polynomial
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.passes.fuse_stats.fused_loop import Formula, Lines, MergedSweep
from tritonopt.source.parsing import parsed


def _shifted(sweep: MergedSweep) -> Lines:
    """Deviations from the mean of the first tile, which is taken out afterwards."""
    if not sweep.fusion.axes:
        raise NotExpressible("a single element is no mean to subtract; formula=moments needs none")
    fresh = sweep.writer.fresh
    underscore = "_" if sweep.squares.name.startswith("_") else ""
    source = sweep.tile.source
    if not sweep.tile.is_exact:
        assert sweep.mask is not None
        where = parsed(sweep.writer.language("where"), mode="eval").body
        source = ast.Call(where, [sweep.mask, source, ast.Constant(0.0)], [])
    start = first_iteration(
        sweep.writer,
        sweep.sum.loops,
        sweep.update,
        source,
        guards=first_guards(sweep.fusion, sweep.writer),
    )
    shift, deviation = fresh("shift"), fresh("deviation")
    shifted, shifted_sum = fresh(f"{underscore}shifted"), fresh("shifted_sum")
    first = start.result
    statements = list(start.statements)
    if not first.isidentifier():
        first = fresh("first_tile")
        statements.append(f"{first} = {start.result}")
    mean = sweep.against_tile(sweep.summed(sweep.widened(first)))
    before = [
        "# Deviations from the mean of the first tile, so that no digits cancel.",
        *statements,
        f"{shift} = {mean} / {first_count(sweep.fusion, sweep.writer)}",
        *sweep.total.first_lines,
        f"{shifted} = {sweep.zero}",
    ]
    inside = [
        f"{deviation} = {sweep.masked(f'{sweep.tile.name} - {shift}')}",
        f"{shifted} += {sweep.added(deviation)}",
        f"{sweep.total.name} += {sweep.added(f'{deviation} * {deviation}')}",
    ]
    number = sweep.divisor()
    if sweep.by_lane:
        after = [f"{shifted_sum} = {sweep.summed(shifted)}"]
        moved = f"{shifted_sum} * ({shifted_sum} / {number})"
    else:
        after, moved = [], f"{shifted} * ({shifted} / {number})"
    result = sweep.name_of_m2()
    after += sweep.finish(result, f"{sweep.total_sum()} - {moved}")
    return Lines(before, inside, after, result)


def _moments(sweep: MergedSweep) -> Lines:
    """The sum of the squares, and of the elements."""
    fresh = sweep.writer.fresh
    value = fresh("value")
    tile = sweep.widened(sweep.tile.name)
    inside = [
        f"{value} = {tile if sweep.tile.is_exact else sweep.masked(tile)}",
        f"{sweep.total.name} += {sweep.added(f'{value} * {value}')}",
    ]
    total = sweep.total_of_first()
    before = ["# Sum and squares in one loop: sum (x - mean)^2 = sum x^2 - (sum x)^2 / n."]
    m2 = f"{sweep.total_sum()} - {total} * ({total} / {sweep.divisor()})"
    result = sweep.name_of_m2()
    after = sweep.finish(result, m2)
    return Lines([*before, *sweep.total.first_lines], inside, after, result)


FORMULAS: dict[str, Formula] = {"shifted": _shifted, "moments": _moments}


def first_count(fusion: Fusion, writer: Writer) -> str:
    """The number of elements in the first tile; where there are none, what it divides is unused."""
    start = fusion.facts.before[fusion.sweeps.first.node]
    expressions = list(fusion.facts.values)
    factors: list[str] = []
    for stream in fusion.count.streams:
        if stream.lanes is None:
            continue
        extent = writer.find_form(stream.lanes.extent, start, expressions)
        if stream.masked:
            limit = writer.find_form(stream.extent, start, expressions)
            factors.append(f"{writer.minimum}({limit}, {extent})")
        else:
            factors.append(extent)
    product = " * ".join(factors) or "1"
    return product if len(factors) < 2 else f"({product})"


def first_guards(fusion: Fusion, writer: Writer) -> list[str]:
    """Conditions under which loops run at all, where not every load is masked by its own."""
    environment = fusion.facts.before[fusion.sweeps.first.node]
    expressions = list(fusion.facts.values)
    forms = fusion.facts.forms
    guards = []
    for loop in fusion.sum.loops:
        count = forms.trip_count(loop)
        known = count.constant_value if count is not None else None
        if (known is not None and known >= 1) or _masks_all_loads(fusion, loop):
            continue
        assert loop.start is not None and loop.stop is not None
        stop = writer.find_form(forms.of(loop.stop), environment, expressions)
        start = writer.find_form(forms.of(loop.start), environment, expressions)
        guards.append(f"{stop} > {start}")
    return guards


def _masks_all_loads(fusion: Fusion, loop: Loop) -> bool:
    """Whether every load of the sweep is masked off where the loop would not run."""
    forms = fusion.facts.forms
    masks = [
        Polynomial.of(a)
        for s in fusion.count.streams
        if s.loop is loop and s.masked
        for a in fusion.mask
        if varies_with(a, loop)
    ]
    loads = [e for e in fusion.facts.effects if e.kind is EffectKind.LOAD and loop in e.loops]
    conditions = [forms.condition(e.mask) if e.mask is not None else ONE for e in loads]
    return bool(masks) and all(c * m == c for c in conditions for m in masks)
