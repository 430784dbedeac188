"""What a tuner may choose from: tiles where the kernel computes the same with each, and warps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tritonopt.checks.condition import Declined, unknown
from tritonopt.emit.any_length import prove_any_length
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.writing import NotExpressible
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Iteration,
    Lane,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
)
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.language import MATRIX
from tritonopt.facts.operations import Op
from tritonopt.facts.values import reachable
from tritonopt.passes.autotune_configs.flat_tiles import flat_tile
from tritonopt.passes.autotune_configs.untuned_launches import options_of, tile_at
from tritonopt.source import Change, Launch

_TILES = ((512, (2, 4)), (1024, (4, 8)), (2048, (4, 8)), (4096, (8, 16)), (8192, (16,)))
"""Lengths of a tile, each with the warps that hold 4 to 32 elements of it a thread."""
_WARPS = (2, 4, 8, 16)
_WARPS_OF_PRODUCTS, _STAGES = (4, 8), (2, 3, 4)
_USUAL_WARPS = 4
_PLACES = (Iteration, Lane, NumPrograms, Param, ProgramId)


@dataclass(frozen=True)
class FreeTile:
    """A parameter that is the length of a tile, and that a tuner may choose."""

    name: str
    lengths: frozenset[int]
    """What the launches pass today."""
    is_exact: bool
    """Whether no floats are added up in another order with it."""
    grids: Mapping[Launch, tuple[Change, ...]] = field(default_factory=dict)
    """What changes in the grid of a launch, whose programs are as many as tiles."""


def free_tile(facts: KernelFacts) -> FreeTile:
    """The length of the tiles of a row or a range. Raises Declined where it is to stay."""
    if not facts.loops:
        flat = flat_tile(facts)
        return FreeTile(flat.name, flat.lengths, True, flat.grids)
    claim = "length-is-known-at-the-launch"
    loops = tuple(facts.loops)
    count = facts.forms.trip_count(loops[0])
    tiles = count.sole_atom if count is not None else None
    if not isinstance(tiles, CeilDiv):
        raise unknown(claim, "length-matters", "no loop goes over a row tile by tile")
    extent, tile = tiles.arguments
    assert isinstance(extent, Polynomial) and isinstance(tile, Polynomial)
    length = tile.sole_atom
    if not isinstance(length, Param):
        detail = f"the length of a tile, {tile.readable}, is no argument of the launch"
        raise unknown(claim, "length-is-computed", detail)
    lengths = set()
    for launch in facts.launches.launches:
        number = tile_at(launch, length.name)
        if number is None:
            detail = (
                f"the launch in {launch.where} passes no number for {length.name} by its name, or "
                "uses it for something else too"
            )
            raise unknown(claim, "length-is-computed", detail)
        lengths.add(number)
    sweeps = RowSweeps(facts, facts.kernel.node, "body", loops, one_turn=False)
    proof = prove_any_length(sweeps, extent, tile)
    return FreeTile(length.name, frozenset(lengths), proof.is_exact)


def configurations(facts: KernelFacts, tile: FreeTile | None) -> list[str]:
    """Code for each: first what the launches say today, then what may be better."""
    launches = facts.launches.launches
    today = options_of(launches[0])
    found: dict[tuple[int | None, int, int | None], None] = {}
    warps, stages = today.get("num_warps", _USUAL_WARPS), today.get("num_stages")
    for length in sorted(tile.lengths) if tile is not None else (None,):
        found[length, warps, stages] = None
    if tile is not None:
        for length, several in _TILES:
            found.update(dict.fromkeys((length, number, stages) for number in several))
    elif _multiplies(facts):
        for depth in _STAGES:
            found.update(dict.fromkeys((None, number, depth) for number in _WARPS_OF_PRODUCTS))
    else:
        found.update(dict.fromkeys((None, number, stages) for number in _WARPS))
    always = {"num_ctas": today["num_ctas"]} if "num_ctas" in today else {}
    name = tile.name if tile is not None else ""
    return [_code(name, length, number, several, always) for length, number, several in found]


def _code(
    name: str, length: int | None, warps: int, stages: int | None, always: Mapping[str, int]
) -> str:
    chosen = "{}" if length is None else f'{{"{name}": {length}}}'
    options = {"num_warps": warps, **({} if stages is None else {"num_stages": stages}), **always}
    return ", ".join([chosen, *(f"{option}={number}" for option, number in options.items())])


def _multiplies(facts: KernelFacts) -> bool:
    """Whether a loop has a matrix product, whose loads are pipelined."""
    products = (
        v for v in reachable(facts.values.values()) if v.op is Op.RESHAPED and v.function in MATRIX
    )
    return bool(facts.loops) and any(products)


def deciding_sizes(facts: KernelFacts, tuned: Sequence[str]) -> list[str]:
    """Parameters on which it depends how much a program does: they bound loops, or lanes."""
    forms = [form for loop in facts.loops if (form := facts.forms.trip_count(loop)) is not None]
    for effect in facts.effects:
        if effect.mask is not None and not effect.mask.is_none:
            with suppress(TooLarge):
                forms += _bounds(facts.forms.condition(effect.mask))
    names = {atom.name for form in forms for atom in form.leaves() if isinstance(atom, Param)}
    names -= {*tuned, *facts.launches.constants}
    for launch in facts.launches.launches:
        names &= launch.arguments.keys()  # a tuner does not see what is left to its default
    return [p.name for p in facts.kernel.parameters if p.name in names]


def _bounds(mask: Polynomial) -> list[Polynomial]:
    """What is compared in a mask, where it is made of places and sizes, and not of what is loaded.

    A threshold that changes from call to call would have the kernel tuned each time.
    """
    compared = [atom.form for atom in mask.atoms if isinstance(atom, Negative)]
    return [form for form in compared if all(isinstance(a, _PLACES) for a in form.leaves())]


def why_it_stays(facts: KernelFacts) -> tuple[FreeTile | None, str]:
    """(the tile that a tuner may choose, "" or why there is none)."""
    try:
        return free_tile(facts), ""
    except Declined as declined:
        return None, declined.condition.detail
    except TooLarge:
        return None, "its indices are too large to compare"


def decorator(
    facts: KernelFacts, configurations: Sequence[str], key: Sequence[str], restored: Sequence[str]
) -> str:
    """Code for the decorator; raises NotExpressible where the file has no name for `triton`.

    `configurations` are the arguments of a `triton.Config` each.
    """
    names = facts.kernel.module.names
    scope = names.scopes[facts.kernel.node]
    triton = next(
        (n for n in names.module.bindings if names.resolve_name(n, scope) == "triton"), ""
    )
    if not triton:
        raise NotExpressible("the file does not import triton, so its tuner has no name")
    lines = [f"        {triton}.Config({one})," for one in configurations]
    text = [f"@{triton}.autotune(", "    configs=[", *lines, "    ],", f"    key={_list(key)},"]
    if restored:
        text.append(f"    restore_value={_list(restored)},")
    return "\n".join([*text, ")"])


def _list(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
