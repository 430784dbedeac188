"""online-softmax: the sweep for the maximum and the sweep for the exponentials become one."""

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
from tritonopt.transforms.online_softmax.candidates import Candidate, candidates
from tritonopt.transforms.online_softmax.legality import prove_online
from tritonopt.transforms.online_softmax.online_sweep import OnlineSweep
from tritonopt.transforms.online_softmax.worth import worth_of
from tritonopt.transforms.promised_order import ask_for_order


@dataclass(frozen=True)
class OnlineSoftmax(Pass):
    """TODO"""

    name: ClassVar[str] = "online-softmax"
    summary: ClassVar[str] = "merge the sweep for a maximum and the one for the exponentials"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for found in candidates(facts):
            examined = [self._examined(facts, candidate) for candidate in found]
            # The first sweep that fits, else the one that came nearest to it.
            yield max(examined, key=lambda site: (not site.failed, len(site.conditions)))

    def _examined(self, facts: KernelFacts, candidate: Candidate) -> Site:
        """The site as it came out: every condition up to the first that fails, and the edit."""
        checklist = Checklist()
        changes: tuple[Change, ...] = ()
        asked: frozenset[Safety] = frozenset()
        with checklist.until_one_fails():
            try:
                proof = prove_online(candidate.sweeps, candidate.name, candidate.maximum, checklist)
                asked = ask_for_order(checklist, facts)
                changes = tuple(OnlineSweep(proof).changes())
            except TooLarge:
                large = "the sums are too large to compare"
                raise unknown("is-understood", "opaque-value", large) from None
            checklist.prove("is-expressible", "what the one sweep needs can be written there")
        first, second = candidate.sweeps.first, candidate.sweeps.second
        worth = worth_of(facts, first)
        into = f"the sweep in line {second.line} into the one in line {first.line}"
        if checklist.failed is None:
            message = f"merged {into}, with a running maximum: {worth.text}"
        else:
            message = f"did not merge {into}: {checklist.failed.detail}"
        return Site(
            second.node,
            checklist.conditions,
            message,
            checklist.safety | asked | {Safety.ROUNDING},
            Bits.REDUCTION_ORDER,
            checklist.facts_used,
            changes,
            pays=worth.pays,
            depends=True,  # no launch shows how long its rows are
            advice=f"merge {into}, with a running maximum",
        )
