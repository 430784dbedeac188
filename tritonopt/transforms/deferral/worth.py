"""Whether it pays to reduce after a loop: fewer reductions, for a tile that is kept through it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.tiles import Tiles, goes_through_parts, tiles_of
from tritonopt.facts.algebra.turns import turns_at_launches
from tritonopt.facts.language import SCANS
from tritonopt.facts.operations import Op
from tritonopt.source.trees import walk
from tritonopt.transforms.deferral.regrouping import Deferral

_TURNS = 4
"""From so many on it was measured to gain; in fewer it was as often a loss."""
_FITS = 8192
"""Elements up to which another tile is taken to find registers in a program of few warps."""


@dataclass(frozen=True)
class Worth:
    """What is known of one site."""

    text: str
    pays: bool = True
    depends: bool = False
    unpaid: str = "does-not-pay"


def worth_of(deferral: Deferral, deferrals: Sequence[Deferral]) -> Worth:
    """What the tile and the launches show; `deferrals` are all of the kernel."""
    sizes = ", ".join(deferral.facts.forms.of(extent).readable for extent in deferral.shape)
    kept = f"a tile [{sizes}] is kept through the loop"
    launches = _launches(deferral)
    once = next((tiles for tiles in launches if tiles.holds_row), None)
    if once is not None:
        text = f"{kept}, which runs once at the launch in {once.where}"
        return Worth(text, pays=False, unpaid="nothing-to-save")
    if _loops_inside(deferral):
        return Worth(f"{kept}; a turn has a loop of its own, which takes longer", pays=False)
    if any(goes_through_parts(deferral.facts, loop) for loop in deferral.loops):
        return Worth(f"{kept}; it goes through the results of other programs, which are few", False)
    left = _left_inside(deferral, deferrals)
    if left is not None:
        text = f"{kept}; the reduction in line {left.lineno} stays in the loop, and is waited for"
        return Worth(text, pays=False)
    few = _few_turns(deferral)
    if few:
        return Worth(f"{kept}; {few}", pays=False)
    if len(deferral.shape) == 1:
        wider = deferral.dtype in ("fp64", "int64", "uint64") and not _is_as_wide(deferral)
        large = any(tiles.size is not None and tiles.size > _FITS for tiles in launches)
        return Worth(kept, depends=wider or large or few is None)
    tile = deferral.tile
    while tile.op is Op.CAST:
        tile = tile.operand
    if tile.op is Op.LOAD:
        text = f"{kept}; it comes straight from a load, and the compiler may do that by itself"
        return Worth(text, pays=False, unpaid="nothing-to-save")
    # Of several axes one was added up in each turn: what is kept is larger by that much.
    elements = _elements(deferral)
    if elements is None or elements > _FITS:
        found = "no launch shows of how many elements" if elements is None else f"of {elements}"
        return Worth(f"{kept}, {found}", pays=False)
    return Worth(kept, depends=True)


def _elements(deferral: Deferral) -> int | None:
    """Of the tile that is kept, at the launch where it is largest; None where one is unknown."""
    forms = deferral.facts.forms
    size = reduce(operator.mul, (forms.of(extent) for extent in deferral.shape), ONE)
    bindings = deferral.facts.launches.bindings
    found = [substitute(size, binding).constant_value for binding in bindings]
    known = [int(number) for number in found if number is not None]
    return max(known) if known and len(known) == len(found) else None


def _few_turns(deferral: Deferral) -> str | None:
    """Where a loop is seen to turn too few times to gain; "" where none is, None if unknown."""
    loops = list(deferral.loops)
    seen = turns_at_launches(deferral.facts, loops[0]) if len(loops) == 1 else ()
    if not seen:
        return None
    where, least = min(seen, key=lambda pair: pair[1])
    return f"at the launch in {where} the loop turns {least} times" if least < _TURNS else ""


def _loops_inside(deferral: Deferral) -> bool:
    """Whether a turn goes through a loop that does not reduce by itself."""
    own = {loop.node for loop in deferral.loops}
    inner = {node for loop in own for node in walk(loop)} - own
    return any(loop.node in inner for loop in deferral.facts.loops)


def _left_inside(deferral: Deferral, deferrals: Sequence[Deferral]) -> ast.expr | None:
    """A reduction in the same loops that no deferral takes out of them."""
    facts = deferral.facts
    statements = [statement for each in deferrals for statement in _statements(each)]
    taken = {node for statement in statements for node in walk(statement)}
    for loop in deferral.loops:
        for node in walk(loop.node):
            if node not in taken and isinstance(node, ast.Call):
                value = facts.values.get(node)
                if value is not None and (value.op is Op.REDUCE or value.function in SCANS):
                    return node
    return None


def _statements(deferral: Deferral) -> Iterator[ast.stmt]:
    """Those that reduce, and combine with what was there."""
    for update in deferral.updates:
        yield update.statement
        yield from (r.named for r in update.reduced if r.named is not None)


def _launches(deferral: Deferral) -> tuple[Tiles, ...]:
    """What the launches show of the loop, where it is one alone."""
    loops = list(deferral.loops)
    return tiles_of(deferral.facts, loops[0]) if len(loops) == 1 else ()


def _is_as_wide(deferral: Deferral) -> bool:
    types = deferral.facts.types.of(deferral.tile)
    return types.all_in(frozenset({"fp64", "int64", "uint64"}))
