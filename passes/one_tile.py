"""one-tile: sweeps over a row that one tile holds become straight-line code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.rewriting.checklist import Checklist, unknown
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change
from tritonopt.transforms.one_tile.legality import OneTile, prove_one_tile
from tritonopt.transforms.one_tile.question import ask, asked, is_asked_already
from tritonopt.transforms.one_tile.replacing import beside_the_loops, in_place_of_the_loops
from tritonopt.transforms.one_tile.sweeps import RowSweeps, row_sweeps
from tritonopt.transforms.writing import Writer


@dataclass(frozen=True)
class OneTilePass(Pass):
    """Write the sweeps over a row that one tile holds without their loops."""

    longer_rows: Literal["branch", "decline"] = "branch"

    name: ClassVar[str] = "one-tile"
    summary: ClassVar[str] = "load a row that one tile holds once, without loops"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for sweeps in row_sweeps(facts):
            site = self._examined(sweeps)
            if site is not None:
                yield site

    def _examined(self, sweeps: RowSweeps) -> Site | None:
        """The site as it came out; None where the loops are what is left for longer rows."""
        checklist = Checklist()
        changes: tuple[Change, ...] = ()
        proof: OneTile | None = None
        known = sweeps.one_turn or self.longer_rows == "decline"
        with checklist.until_one_fails():
            try:
                proof = prove_one_tile(sweeps, checklist, known=known)
                if known:
                    changes = in_place_of_the_loops(proof)
                else:
                    question = ask(sweeps, proof.may_be_empty, checklist)
                    if is_asked_already(question, sweeps):
                        return None
                    changes = beside_the_loops(proof, asked(question, Writer(sweeps.facts)))
            except TooLarge:
                large = "the indices are too large to compare"
                raise unknown("is-understood", "opaque-value", large) from None
            checklist.prove("is-expressible", "what the loops do can be written without them")
        lines = ", ".join(str(loop.line) for loop in sweeps.loops)
        what = f"the sweeps in lines {lines}"
        if checklist.failed is None:
            message = f"wrote {what} for one tile"
            if not known:
                message += ", beside the loops"
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
