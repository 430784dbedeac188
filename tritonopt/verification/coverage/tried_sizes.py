"""Which sizes were tried one at a time, and what loops made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.process.coverage_data import Coverage, Loop


@dataclass
class TriedSizes:
    """One size after the other, while all others are the base's."""

    of: Callable[[Mapping[str, int]], tuple[Coverage, ...]]
    """What both versions ran on a plain call of these sizes; nothing where there is none."""
    base: Mapping[str, int] = field(default_factory=dict)
    explored: dict[str, int] = field(default_factory=dict)
    """The larger size that showed on which loops a name bears."""
    weighed: set[str] = field(default_factory=set)
    """Names of which that is known."""
    governed: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    """The sizes that bear on the turns of a loop of a version."""
    odd: dict[str, list[int]] = field(default_factory=dict)
    """Odd sizes that were tried."""

    def largest_single(self, demand: Demand) -> int:
        """The largest size tried that bears on a loop, where it never took a second turn; or 0."""
        at = ("original", "rewritten").index(demand.title)
        largest = 0
        for name in self.governed.get((demand.title, demand.line), ()):
            for size in (*self.odd.get(name, ()), self.explored.get(name, 0)):
                found = self.of({**self.base, name: size})
                turns = found[at].loops.get(demand.line, Loop()).turns if found else 0
                largest = max(largest, size if turns == 1 else 0)
        return largest

    def governs(self, demand: Demand) -> bool:
        """Whether a size bears on how often a loop turns."""
        return (demand.title, demand.line) in self.governed

    def cannot_be_ragged(self, demand: Demand) -> bool:
        """Whether all was tried that could have cut the last turn of a loop short.

        A size that bears on it was odd, which is a multiple of no tile; and either the loop took
        several turns and all of them whole, or the original takes no such size.
        """
        at = ("original", "rewritten").index(demand.title)
        if not self.governs(demand):
            # No size has a part in how often it turns, as far as each could be changed.
            return self.weighed >= set(self.base)
        for name in self.governed[demand.title, demand.line]:
            for size in self.odd.get(name, ()):
                found = self.of({**self.base, name: size})
                if not found or found[at].loops.get(demand.line, Loop()).turns >= 2:
                    return True
        return False
