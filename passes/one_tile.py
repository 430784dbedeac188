"""one-tile: sweeps over a row that one tile holds become straight-line code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.rewriting.checklist import Checklist, unknown
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change
from tritonopt.transforms.one_tile.legality import OneTile, prove_one_tile
from tritonopt.transforms.one_tile.replacing import in_place_of_the_loops
from tritonopt.transforms.one_tile.sweeps import RowSweeps, row_sweeps


@dataclass(frozen=True)
class OneTilePass(Pass):
    """Write the sweeps over a row that one tile holds without their loops."""

    name: ClassVar[str] = "one-tile"
    summary: ClassVar[str] = "load a row that one tile holds once, without loops"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for sweeps in row_sweeps(facts):
            yield self._examined(sweeps)

    def _examined(self, sweeps: RowSweeps) -> Site:
        checklist = Checklist()
        changes: tuple[Change, ...] = ()
        proof: OneTile | None = None
        with checklist.until_one_fails():
            try:
                proof = prove_one_tile(sweeps, checklist, known=True)
                changes = in_place_of_the_loops(proof)
            except TooLarge:
                large = "the indices are too large to compare"
                raise unknown("is-understood", "opaque-value", large) from None
            checklist.prove("is-expressible", "what the loops do can be written without them")
        lines = ", ".join(str(loop.line) for loop in sweeps.loops)
        what = f"the sweeps in lines {lines}"
        if checklist.failed is None:
            message = f"wrote {what} for one tile"
        else:
            message = f"kept the loops of {what}: {checklist.failed.detail}"
        safety = set(checklist.safety)
        if proof is not None and not proof.is_exact:
            safety.add(Safety.ROUNDING)
        return Site(
            sweeps.loops[0].node,
            checklist.conditions,
            message,
            frozenset(safety),
            Bits.REDUCTION_ORDER,
            checklist.facts_used,
            changes,
            advice=f"write {what} for one tile",
        )
