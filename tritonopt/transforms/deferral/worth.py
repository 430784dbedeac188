"""Whether it pays to reduce after a loop: fewer reductions, for a tile that is kept through it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import ceil

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
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
_LIVE = 16
"""Elements for each thread up to which one more tile is taken to find registers: with 32 a loop
took 1.04 times as long (`kldiv_forward_triton`); tiles of two axes spilled from 64 on (sm_90)."""


@dataclass(frozen=True)
class Worth:
    """What is known of one site."""

    text: str
    pays: bool = True
    depends: bool = False
    unpaid: str = "does-not-pay"


def worth_of(deferral: Deferral, deferrals: Sequence[Deferral]) -> Worth:
    """What the tile and the launches show; `deferrals` are all of the kernel."""
    kept = f"a tile [{_sizes(deferral)}] is kept through the loop"
    launches = _launches(deferral)
    once = next((tiles for tiles in launches if tiles.holds_row), None)
    if once is not None:
        text = f"{kept}, which runs once at the launch in {once.where}"
        return Worth(text, pays=False, unpaid="nothing-to-save")
    if _loops_inside(deferral):
        return Worth(f"{kept}; an iteration has a loop of its own, which takes longer", pays=False)
    if any(goes_through_parts(deferral.facts, loop) for loop in deferral.loops):
        return Worth(f"{kept}; it goes through the results of other programs, which are few", False)
    left = _left_inside(deferral, deferrals)
    if left is not None:
        text = f"{kept}; the reduction in line {left.lineno} stays in the loop, and is waited for"
        return Worth(text, pays=False)
    few = _few_turns(deferral)
    if few:
        return Worth(f"{kept}; {few}", pays=False)
    if len(deferral.shape) > 1:
        return Worth(f"{kept}, of {len(deferral.shape)} axes, which seldom gains", pays=False)
    wider = deferral.dtype in ("fp64", "int64", "uint64") and not _is_as_wide(deferral)
    live = _live(deferral)
    return Worth(kept, depends=wider or few is None or (live is not None and live > _LIVE))


def check_registers(deferral: Deferral, attempt: Attempt, *, two_axes: bool) -> None:
    """A tile of several axes is larger than what is added up: it may not find registers.

    Raises Declined.
    """
    if len(deferral.shape) == 1:
        return
    claim, reason, live = "tile-fits-the-registers", "tile-is-spilled", _live(deferral)
    kept = f"the loop would keep a tile [{_sizes(deferral)}]"
    if live is not None and live > _LIVE:
        raise refuted(claim, reason, f"{kept}, {live} elements for each thread")
    if not two_axes:
        raise unknown(claim, reason, f"{kept}: {{two_axes=true}} has it, where you measure a gain")
    if live is not None:
        attempt.prove(claim, f"a thread keeps {live} elements")


def _sizes(deferral: Deferral) -> str:
    return ", ".join(deferral.facts.forms.of(extent).readable for extent in deferral.shape)


def _live(deferral: Deferral) -> int | None:
    """Elements of the tile that a thread keeps, at the launch where these are most; None where
    one launch does not show them."""
    forms, found = deferral.facts.forms, []
    size = reduce(operator.mul, (forms.of(extent) for extent in deferral.shape), ONE)
    for binding in deferral.facts.launches.bindings:
        elements = substitute(size, binding).constant_value
        warps = binding.launch.options.get("num_warps")
        number = warps.value if isinstance(warps, ast.Constant) else None
        if elements is None:
            return None
        found.append(ceil(elements / (32 * (number if isinstance(number, int) else 4))))
    return max(found, default=None)


def _few_turns(deferral: Deferral) -> str | None:
    """Where a loop is seen to turn too few times to gain; "" where none is, None if unknown."""
    loops = list(deferral.loops)
    seen = turns_at_launches(deferral.facts, loops[0]) if len(loops) == 1 else ()
    if not seen:
        return None
    where, least = min(seen, key=lambda pair: pair[1])
    return f"at the launch in {where} the loop iterates {least} times" if least < _TURNS else ""


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
