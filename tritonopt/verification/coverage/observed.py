"""What both versions have run, over the examples that taught something."""

from __future__ import annotations

from dataclasses import dataclass, field

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.coverage_data import Coverage

Both = tuple[Coverage, Coverage]
"""What the original ran, and what the rewritten version did."""


@dataclass
class Observed:
    """Their coverage, by example and all of it together."""

    seen: dict[Example, Both] = field(default_factory=dict)
    """What both versions ran, of the examples that taught something."""
    covered: Both = (Coverage(), Coverage())
    """All of that together."""

    def saw(self, example: Example, coverage: Both) -> None:
        """Both versions ran that, on an example that taught something."""
        self.seen[example] = coverage
        self.covers(coverage)

    def covers(self, coverage: Both) -> None:
        """Some of what both versions ran: compiled kernels do not tell all of it."""
        ours, theirs = coverage
        self.covered = self.covered[0].merged(ours), self.covered[1].merged(theirs)

    def saw_guards(self, coverage: Both) -> None:
        """A guard ended every program of a call: that nothing is written has been compared."""
        ours, theirs = coverage
        if not (ours.stored or theirs.stored):
            self.covers(coverage)
