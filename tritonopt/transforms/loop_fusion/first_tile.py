"""The first tile of a sweep, read ahead of it: how many elements it has, and when there is one."""

from __future__ import annotations

from tritonopt.facts import EffectKind, Loop, Polynomial
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.transforms.loop_fusion.legality import Fusion
from tritonopt.transforms.writing import Writer


def first_count(fusion: Fusion, writer: Writer) -> str:
    """The number of elements in the first tile, at least 1."""
    start = fusion.facts.before[fusion.sweeps.first.node]
    expressions = list(fusion.facts.values)
    factors: list[str] = []
    masked = False
    for stream in fusion.count.streams:
        if stream.lanes is None:
            continue
        extent = writer.find_form(stream.lanes.extent, start, expressions)
        if stream.masked:
            limit = writer.find_form(stream.extent, start, expressions)
            factors.append(f"{writer.minimum}({limit}, {extent})")
            masked = True
        else:
            factors.append(extent)
    product = " * ".join(factors) or "1"
    if masked:
        return f"{writer.maximum}({product}, 1)"
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
