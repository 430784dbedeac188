"""Whether everything has run that has to run for a yes, as far as that can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.verification.coverage.demands import NUMBERS, Demand
from tritonopt.verification.coverage.guards import Guard
from tritonopt.verification.coverage.observed import Observed
from tritonopt.verification.coverage.scouts import Scouts
from tritonopt.verification.coverage.tried_sizes import TriedSizes


@dataclass(frozen=True)
class Requirements:
    """What is demanded, held against what was seen."""

    demands: Sequence[Demand]
    guards: Sequence[tuple[Guard, Guard]]
    """Guards that both versions have."""
    observed: Observed
    scouts: Scouts | None = None
    """Who says what runs, where compiled kernels do not."""
    elsewhere: frozenset[Demand] = frozenset()
    """What has run from other launchers."""

    def unmet(self) -> list[Demand]:
        """What has to run for a yes, and has not."""
        return [d for d in self._never_met() if not d.impossible]

    def to_reach(self) -> list[Demand]:
        """What of it other sizes and arguments may come to; single numbers are tried anyway."""
        unmet = (d for d in self.unmet() if d.kind not in NUMBERS and not d.is_far)
        return [d for d in unmet if d not in self.elsewhere]

    def met(self) -> list[Demand]:
        """What was demanded, and was seen to run."""
        never = self._never_met()
        return [] if self.blind else [d for d in self.demands if d not in never]

    def impossible(self) -> list[Demand]:
        """What would have to run, if the text did not show that it cannot."""
        return [d for d in self._never_met() if d.impossible]

    def _never_met(self) -> list[Demand]:
        titles = "original", "rewritten"
        sides = dict(zip(titles, self.observed.covered, strict=True))
        filled = dict(zip(titles, self.observed.filled, strict=True))
        asked = self.demands
        if self.blind:
            # How many programs and lanes there were, and what lanes hold, the interpreter tells.
            asked = [d for d in asked if d.kind not in ("programs", "lanes", *NUMBERS)]
        return [d for d in asked if not d.met_by((filled if d.of_values else sides)[d.title])]

    @property
    def blind(self) -> bool:
        """Whether nothing is known of what ran inside of kernels."""
        return self.scouts is not None and not self.scouts.reached

    def excused(self, tried: Sequence[TriedSizes]) -> list[Demand]:
        """Loops of which no call could be found that cuts their last turn short."""
        if self.blind:
            return []
        ragged = [d for d in self.unmet() if d.kind == "ragged"]
        return [d for d in ragged if _cannot_be_ragged(d, tried)]

    def never_left(self) -> list[Demand]:
        """What runs only where a guard holds that both versions have, and held in neither."""
        if self.blind:
            return []
        ours, theirs = self.observed.covered
        dead = [(a, b) for a, b in self.guards if not (a.left(ours) or b.left(theirs))]
        return [
            d
            for d in self.unmet()
            if any((a if d.title == "original" else b).asked_by(d) for a, b in dead)
        ]


def _cannot_be_ragged(demand: Demand, tried: Sequence[TriedSizes]) -> bool:
    """By those that show which size bears on the loop; where none does, by all."""
    bearing = [t for t in tried if t.governs(demand)]
    return all(t.cannot_be_ragged(demand) for t in bearing or tried)
