"""scalar-loop: a loop from element to element becomes one from tile to tile."""

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
from tritonopt.transforms.vectorization.scalar_loops import ScalarLoop, scalar_loops
from tritonopt.transforms.vectorization.turns_saved import saving
from tritonopt.transforms.vectorization.vector_loop import VectorLoop
from tritonopt.transforms.vectorization.vector_proof import Vectorization, prove_vectorization


@dataclass(frozen=True)
class ScalarLoopToTiles(Pass):
    """DOC"""

    block: Literal[32, 64, 128, 256, 512, 1024] = 128

    name: ClassVar[str] = "scalar-loop"
    summary: ClassVar[str] = "go through single elements tile by tile"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for loop in scalar_loops(facts):
            yield self._examined(loop)

    def _examined(self, loop: ScalarLoop) -> Site:
        checklist = Checklist()
        changes: tuple[Change, ...] = ()
        proof: Vectorization | None = None
        with checklist.until_one_fails():
            try:
                proof = prove_vectorization(loop, checklist)
                changes = tuple(VectorLoop(proof, self.block).changes())
            except TooLarge:
                large = "the indices are too large to compare"
                raise unknown("is-understood", "opaque-value", large) from None
            checklist.prove("is-expressible", "the loop can be written over tiles")
        where = f"the loop in line {loop.loop.line}"
        exact = proof is not None and proof.exact
        if checklist.failed is not None:
            message = f"left {where} as it goes, from element to element: {checklist.failed.detail}"
            return Site(loop.node, checklist.conditions, message)
        saved = saving(loop)
        return Site(
            loop.node,
            checklist.conditions,
            f"made {where} go from tile to tile: {saved.text}",
            checklist.safety | (frozenset() if exact else {Safety.ROUNDING}),
            Bits.SAME if exact else Bits.REDUCTION_ORDER,
            checklist.facts_used,
            changes,
            pays=saved.pays,
            depends=saved.depends,
            unpaid="does-not-pay" if saved.depends else "nothing-to-save",
            advice=f"make {where} go from tile to tile",
        )
