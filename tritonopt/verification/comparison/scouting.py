"""Learning what examples ran, where compiled kernels do not tell: the scouts are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.coverage.requirements import Requirements
from tritonopt.verification.coverage.scouts import Scouts
from tritonopt.verification.inputs.examples import Example

_SCOUTED_ELEMENTS = 2**16
_SCOUTING_AIMED = 60.0
_SCOUTING = 120.0
"""Seconds of the interpreter that a verification on a GPU may take: for calls that are aimed,
and for all."""


@dataclass(frozen=True)
class Scouting:
    """Which examples the scouts are asked of, and for how long."""

    checker: Checker
    requirements: Requirements
    report: Callable[[str], None]

    def aimed(self, example: Example) -> None:
        """An example that was aimed at what has to run."""
        self._ask(example, _SCOUTING_AIMED)

    def the_rest(self) -> None:
        """Ask of other examples too what they ran, until all is seen that has to run.

        Those that were drawn show what no aim is taken at, a flag that is zero or a single row:
        the smallest first, and the largest that the interpreter runs in no time.
        """
        if self.requirements.scouts is None:
            return
        known = sorted(self.checker.taken(_SCOUTED_ELEMENTS), key=lambda e: e.main_size)
        turns = chain.from_iterable(zip(known, reversed(known), strict=True))
        for example in dict.fromkeys(turns):
            if not self.requirements.unmet():
                break
            self._ask(example, _SCOUTING)
            self.report("examples")

    def _ask(self, example: Example, seconds: float) -> None:
        """Learn what an example ran; at most so much in all."""
        scouts: Scouts | None = self.requirements.scouts
        observed = self.checker.observed
        if scouts is None or scouts.seconds > seconds or example in observed.seen:
            return
        found = self.checker.examinations[example]
        if found.accepted and found.written:
            coverage = scouts.run(example)
            if coverage is not None:
                (ours, own), (theirs, other) = zip(coverage, found.coverage, strict=True)
                observed.saw(example, (ours.as_launched(own), theirs.as_launched(other)))
