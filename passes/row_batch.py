"""row-batch: a program that handles one short row becomes one that handles several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.rewriting.checklist import Checklist, refuted, unknown
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change
from tritonopt.transforms.rank_lifting.lifting_legality import RowBatch, prove_row_batch, row_ids
from tritonopt.transforms.rank_lifting.row_launches import Batching
from tritonopt.transforms.writing import Writer

_PAYS_UP_TO = 512
"""Elements of a row."""


@dataclass(frozen=True)
class RowBatches(Pass):
    """Let a program handle several short rows at once, where it handled one."""

    elements: int = 2048
    programs: int = 1024

    name: ClassVar[str] = "row-batch"
    summary: ClassVar[str] = "let each program handle several short rows at once"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )

    def __post_init__(self) -> None:
        if self.elements < 2 or self.elements & (self.elements - 1):
            raise PassSelectionError(
                f"row-batch: elements cannot be {self.elements}; write a power of two"
            )
        if self.programs < 1:
            raise PassSelectionError(
                f"row-batch: programs cannot be {self.programs}; write 1 or more"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        ids = row_ids(facts)
        if ids is not None:
            yield self._examined(facts, ids)

    def _examined(self, facts: KernelFacts, ids: ProgramIds) -> Site:
        checklist = Checklist()
        proof: RowBatch | None = None
        changes: tuple[Change, ...] = ()
        with checklist.until_one_fails():
            try:
                proof = prove_row_batch(facts, ids, Writer(facts), checklist)
            except TooLarge:
                large = "the indices are too large to compare"
                raise unknown("is-understood", "opaque-value", large) from None
            longest = max(proof.launches.known_tiles, default=0)
            if 2 * longest > self.elements:
                detail = f"a tile of {longest} elements is as much as a program should hold"
                raise refuted("rows-are-short", "tile-is-long", detail)
            changes = tuple(proof.changes(Batching(self.elements, self.programs)))
            detail = (
                "the numbers of rows past the end go up to those of one program more; they stay"
            )
            checklist.assume("no-int32-overflow", f"{detail} below 2**31")
            checklist.prove("is-expressible", "what several rows need can be written")
        done = checklist.failed is None
        if checklist.failed is None and proof is not None:
            message = f"made each program handle several rows at once ({proof.launches.summary})"
        else:
            assert checklist.failed is not None
            message = f"left one row to each program: {checklist.failed.detail}"
        sums = proof is not None and proof.adds_up_floats
        safety = {*checklist.safety, Safety.CONTRACT, *([Safety.ROUNDING] if sums else [])}
        return Site(
            ids.calls[0],
            checklist.conditions,
            message,
            frozenset(safety),
            Bits.REDUCTION_ORDER if sums else Bits.SAME,
            checklist.facts_used,
            changes,
            pays=done and _is_short(proof),
            depends=done and proof is not None and not proof.launches.known_tiles,
            advice="let each program handle several rows at once",
        )


def _is_short(proof: RowBatch | None) -> bool:
    """Whether every launch is seen to have rows as short as those that gained."""
    if proof is None:
        return False
    known = proof.launches.known_tiles
    return bool(known) and max(known) <= _PAYS_UP_TO
