"""defer-reduction: a reduction in every iteration of a loop becomes one after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts, Loop
from tritonopt.rewriting.checklist import Checklist
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change
from tritonopt.transforms.deferral.candidates import candidates
from tritonopt.transforms.deferral.deferred_loop import DeferredLoop
from tritonopt.transforms.deferral.legality import Deferral, prove_deferral


@dataclass(frozen=True)
class DeferReduction(Pass):
    """TODO"""

    name: ClassVar[str] = "defer-reduction"
    summary: ClassVar[str] = "reduce a tile once after a loop, not in every iteration"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        covered: set[tuple[ast.stmt, str]] = set()
        for candidate in candidates(facts):
            if (candidate.loop.node, candidate.name) in covered:
                continue
            checklist = Checklist()
            changes: tuple[Change, ...] = ()
            deferral: Deferral | None = None
            with checklist.until_one_fails():
                deferral = prove_deferral(facts, candidate.loop, candidate.name, checklist)
                changes = tuple(DeferredLoop(deferral).changes())
                checklist.prove("is-expressible", "the tile can be written before the loop")
            if deferral is not None and checklist.failed is None:
                covered |= {(loop.node, candidate.name) for loop in deferral.loops}
                yield self._passed(deferral, checklist, changes)
            elif candidate.is_innermost:
                where = f"the loop in line {candidate.loop.line}"
                assert checklist.failed is not None
                yield Site(
                    candidate.anchor,
                    checklist.conditions,
                    f"left {candidate.name} in {where} as it is: {checklist.failed.detail}",
                )

    def _passed(self, deferral: Deferral, checklist: Checklist, changes: tuple[Change, ...]) -> Site:
        what = (
            f"{deferral.name} once, after the loop in line {deferral.first.lineno}, and not in "
            "every iteration"
        )
        return Site(
            deferral.updates[0].statement,
            checklist.conditions,
            f"reduced {what}",
            checklist.safety | (frozenset() if deferral.exact else {Safety.ROUNDING}),
            Bits.SAME if deferral.exact else Bits.REDUCTION_ORDER,
            checklist.facts_used,
            changes,
            advice=f"reduce {what}",
        )
