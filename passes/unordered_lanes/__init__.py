"""unordered-lanes: a lane loads what another one stores, with no barrier between."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.condition import NotExpressible
from tritonopt.emit.writing import Writer, statements_around
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.host.local_names import names_of
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import InsertBefore
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.passes.unordered_lanes.lane_order import HandOver


@dataclass(frozen=True)
class UnorderedLanes(Lint):
    """Find elements that one lane stores and another loads without a barrier between.

    ## What it does

    If a program stores elements of a buffer and then loads them in other lanes, values pass between
    threads. The order matters too if a program loads elements and then overwrites them in other
    lanes. The pass reports the second access, with two lanes that access one element, and inserts
    `tl.debug_barrier()` before it.

    ## Why

    Only a barrier orders the warps of a program. Without a barrier, a warp may load before another
    warp stores, or after it. Triton's interpreter runs all lanes at once, so it does not show the
    race.

    ## Conditions

    - Both accesses go to one parameter, or to two for which a launch passes one tensor or views of
      it. Index arithmetic shows that two different lanes access one element, for all strides and
      sizes that the launches leave open. No mask or branch excludes either.
    - No barrier, atomic or unknown call is between the accesses, also if the second is in the next
      iteration of a loop. Some launch may have more than one warp.
    - A scalar is stored by one thread and loaded by all threads. This is reported if a tile depends
      on the loaded value.

    If lanes exchange values between the accesses (a reduction, a scan, `tl.dot`), current compilers
    insert a barrier there; this case is reported only if `--passes` names the pass.

    Addresses that are loaded, or computed in an unknown way, are not reported. No barrier is
    inserted between two accesses of one statement or of one call of a helper.

    ## Numerics

    `exact`: the result is the one that the original has if every warp finishes the first access
    before any warp starts the second.

    ## Example

    ```python
    i = tl.arange(0, 32)[:, None]
    j = tl.arange(0, 32)[None, :]
    tl.store(X + i * 32 + j, i + j)
    var = tl.load(X + j * 32 + i)
    ```

    becomes

    ```python
    i = tl.arange(0, 32)[:, None]
    j = tl.arange(0, 32)[None, :]
    tl.store(X + i * 32 + j, i + j)
    # Wait for the threads that store what is loaded below.
    tl.debug_barrier()
    var = tl.load(X + j * 32 + i)
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "unordered-lanes"
    fixes: ClassVar[bool] = True
    summary: ClassVar[str] = "find elements that lanes exchange without tl.debug_barrier()"
    harm: ClassVar[str] = (
        "warps of a program run in no fixed order: the load may return the old value or the "
        "stored one"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        facts = facts.of_tiles
        if not _loads_what_it_stores(facts):
            return
        from tritonopt.passes.unordered_lanes.lane_order import find_hand_overs

        inserted: list[int] = []
        every = list(find_hand_overs(facts))
        for found in every:
            if any(_is_between(found, order) for order in inserted):
                continue
            place = _place(facts, found, every)
            if place is not None:
                inserted.append(_order(facts, place))
            yield _site(facts, found, place)


def _loads_what_it_stores(facts: KernelFacts) -> bool:
    """Whether a buffer may be both: few kernels have one, and no others need more imports."""
    bases: dict[EffectKind, set[object]] = {EffectKind.LOAD: set(), EffectKind.STORE: set()}
    for effect in facts.effects:
        if effect.kind in bases and effect.pointer is not None:
            bases[effect.kind].add(facts.forms.address(effect.pointer)[0])
    loaded, stored = bases.values()
    return bool(loaded and stored) and bool(loaded & stored or facts.launches.launches)


def _is_between(found: HandOver, order: int) -> bool:
    """Whether a barrier right before the effect of this order stands between the accesses."""
    first, second, loop = found.first.order, found.second.order, found.across
    if loop is None:
        return first < order <= second
    return loop.first <= order <= loop.last and (first < order or order <= second)


def _order(facts: KernelFacts, place: ast.stmt) -> int:
    """Of the first effect in a statement."""
    inside = set(walk(place))
    return min(e.order for e in facts.effects if e.node in inside)


def _place(facts: KernelFacts, found: HandOver, every: list[HandOver]) -> ast.stmt | None:
    """The statement before which a barrier is on the way of all lanes between the accesses."""
    if found.across is not None and found.across.inlined:
        return None
    mine, theirs = (
        [(statement, block) for statement, block, _ in statements_around(facts, effect.node)]
        for effect in (found.first, found.second)
    )
    if found.across is not None:
        body = found.across.node.body
        return next((statement for statement, block in theirs if block is body), None)
    for at, (statement, block) in enumerate(theirs):
        before = next((other for other, own in mine if own is block), None)
        if before is not None:
            outer = [statement for statement, _ in reversed(theirs[: at + 1])]
            return None if before is statement else _in_branch(facts, outer, every)
    return None


def _in_branch(facts: KernelFacts, around: list[ast.stmt], every: list[HandOver]) -> ast.stmt:
    """The innermost of nested statements before which a barrier does what it does before all."""
    place, *deeper = around
    covered = [found for found in every if _is_between(found, _order(facts, place))]
    for inner in deeper:
        is_known = isinstance(place, ast.If) and is_constexpr(facts, place.test)
        order, block = _order(facts, inner), names_of(facts.kernel.node).home[inner][1]
        inside = {node for statement in block for node in walk(statement)}
        if not is_known or not all(
            found.second.node in inside and _is_between(found, order) for found in covered
        ):
            break
        place = inner
    return place


def _site(facts: KernelFacts, found: HandOver, place: ast.stmt | None) -> Site:
    what = _told(found)
    site = Site.of_mistake(found.second.node, "lanes-are-ordered", "lanes-hand-over", what)
    site = replace(site, is_reported=not found.meets)
    try:
        barrier = f"{Writer(facts).language('debug_barrier')}()"
    except NotExpressible:
        place, barrier = None, "tl.debug_barrier()"
    if place is None:
        return replace(site, message=f"{what}: put {barrier} between them")
    where = f"{barrier} before line {place.lineno}"
    return replace(
        site,
        message=f"{what}: inserted {where}",
        advice=f"{what}: insert {where}",
        changes=(InsertBefore(place, f"# {_why(found)}\n{barrier}"),),
    )


def _why(found: HandOver) -> str:
    """The comment above a barrier."""
    if found.first.kind is EffectKind.STORE:
        return "Wait for the threads that store what is loaded below."
    return "Wait for the threads that load what is overwritten below."


def _told(found: HandOver) -> str:
    first, second = found.first, found.second
    this = f"this {second.name}" if not second.inlined else f"the {second.name} in this call"
    line = f"line {first.line}" if first.line != second.line else "the same line"
    earlier, later = found.lanes
    if first.kind is EffectKind.STORE:
        told = f"{_of(later)}{this} takes what {_of(earlier)}the store in {line} wrote"
    else:
        told = f"{_of(later)}{this} overwrites what {_of(earlier)}the load in {line} takes"
    if found.across is not None:
        told += f" one iteration of the loop in line {found.across.line} earlier"
    if found.where:
        told += f" (the launch in {found.where} passes one tensor for both)"
    if found.meets:
        return f"{told}, and only what the compiler adds to an exchange in between orders them"
    return f"{told}, and nothing orders the two"


def _of(lane: str) -> str:
    return f"lane {lane} of " if lane else ""
