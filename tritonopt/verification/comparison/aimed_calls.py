"""Calls that are made to run what differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import Difference
from tritonopt.verification.comparison.scouting import Scouting
from tritonopt.verification.comparison.shrinking import FirstDifference, deadline, smaller
from tritonopt.verification.comparison.tally import Counterexample
from tritonopt.verification.coverage.aiming import Aiming
from tritonopt.verification.inputs.examples import Example


@dataclass
class AimedCalls:
    """They come first, for they show the most."""

    checker: Checker
    aimings: Sequence[Aiming]
    """The later ones are for what the first leave over."""
    scouting: Scouting
    first: FirstDifference
    report: Callable[[str], None]
    backward: bool
    made: list[Example] = field(default_factory=list)

    def run(self) -> Counterexample | None:
        for aiming in self.aimings:
            later = aiming is not self.aimings[0]
            if later and not aiming.unmet():
                break
            for aimed in aiming.examples(briefly=later):
                difference = self._at(aiming, aimed, "examples")
                self.made.append(self._whole(aimed))
                if difference is not None:
                    return self._smaller(aiming, aimed, difference)
        return None

    def _smaller(self, aiming: Aiming, aimed: Example, difference: Difference) -> Counterexample:
        self.first.seen(self.checker.versions.waited)
        least, difference = smaller(
            aiming.sized_calls,
            aimed,
            difference,
            lambda e: self._at(aiming, e, "shrinking"),
            until=deadline(ends=self.checker.tally.ends),
        )
        return self._whole(least), difference

    def _whole(self, aimed: Example) -> Example:
        return replace(aimed, backward=self.backward)

    def _at(self, aiming: Aiming, aimed: Example, phase: str) -> Difference | None:
        """What a call shows that was aimed; what it ran is then known."""
        example = self._whole(aimed)
        before = self.checker.tally.hangs
        self.checker.try_out(example)
        if self.checker.tally.hangs > before:
            aiming.sized_calls.hung(aimed)
        found = self.checker.examinations[example]
        aiming.sized_calls.took(aimed, found.work, in_vain=not found.accepted)
        self.scouting.aimed(example)
        self.report(phase)
        return self.checker.certain(example)
