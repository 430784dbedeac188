"""What has run of both versions, and whether that is all that has to run for a yes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tritonopt.verification.coverage.demands import NUMBERS, Demand
from tritonopt.verification.coverage.guards import Guard
from tritonopt.verification.coverage.sized_calls import TriedSizes
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.coverage_data import Coverage
from tritonopt.verification.process.messages import RunOptions, VersionSpec

# What both versions have run, over the examples that taught something.

_MUCH_WORK = 30_000
"""Statements of kernels that are executed in some seconds; a loop inside of a loop over all rows
has that many with a few hundred of them."""

Both = tuple[Coverage, Coverage]
"""What the original ran, and what the rewritten version did."""


@dataclass
class Observed:
    """Their coverage, by example and all of it together."""

    seen: dict[Example, Both] = field(default_factory=dict)
    """What both versions ran, of the examples that taught something."""
    covered: Both = (Coverage(), Coverage())
    """All of that together."""
    filled: Both = (Coverage(), Coverage())
    """Of calls in which every tensor has elements: what else asks for values tells nothing."""
    heavy: list[Example] = field(default_factory=list)
    """Calls that executed so much that few like them can be afforded."""

    def saw(self, example: Example, coverage: Both) -> None:
        """Both versions ran that, on an example that taught something."""
        self.seen[example] = coverage
        self.cost(example, sum(c.work for c in coverage))
        self.covers(coverage)
        self.fills(example, coverage)

    def cost(self, example: Example, work: int) -> None:
        """Both versions executed so many statements, whatever came of it."""
        if work > _MUCH_WORK:
            self.heavy.append(example)

    def covers(self, coverage: Both) -> None:
        """Some of what both versions ran: compiled kernels do not tell all of it."""
        self.covered = _merged(self.covered, coverage)

    def fills(self, example: Example, coverage: Both) -> None:
        """The same of a call, if its tensors have elements."""
        if all(0 not in recipe.shape for recipe in example.tensors.values()):
            self.filled = _merged(self.filled, coverage)

    def is_heavy(self, example: Example) -> bool:
        """Whether a call is as large as one that was heavy, in every dimension.

        Told by what was executed and not by the clock: on any machine the same calls are made.
        """
        return any(_as_large(example, other) for other in self.heavy)

    def saw_guards(self, example: Example, coverage: Both) -> None:
        """A guard ended every program of a call, or an early return the launcher.

        That nothing is written has been compared, and what is returned.
        """
        ours, theirs = coverage
        if not (ours.stored or theirs.stored):
            self.covers(coverage)
            self.fills(example, coverage)


def _merged(some: Both, more: Both) -> Both:
    return some[0].merged(more[0]), some[1].merged(more[1])


def _as_large(example: Example, other: Example) -> bool:
    ours, theirs = example.tensors, other.tensors
    return ours.keys() == theirs.keys() and all(
        len(ours[n].shape) == len(theirs[n].shape)
        and all(a >= b for a, b in zip(ours[n].shape, theirs[n].shape, strict=True))
        for n in ours
    )


# What a call runs, asked of the interpreter where the verification itself is on a GPU.
#
# Compiled kernels do not tell which of their lines ran. The same call on the interpreter does:
# its sizes are what decides, and they are the same.

_SECONDS = 30.0
_PATIENCE = 6
"""So many calls it may fail to run before it is not asked again, unless it could run one."""


class Scouts:
    """Both versions on the interpreter; nothing is compared."""

    def __init__(self, original: VersionSpec, rewritten: VersionSpec) -> None:
        specs = (replace(spec, backend="interpreter") for spec in (original, rewritten))
        self.workers = [VersionWorker(spec, _SECONDS) for spec in specs]
        self.trouble = ""
        """Why the interpreter could not say it, of the last call of which it could not."""
        self.reached = False
        """Whether it could of any."""
        self.failed = 0
        self.seconds = 0.0
        """What asking took so far."""

    def run(self, example: Example) -> tuple[Coverage, Coverage] | None:
        """What both versions run; None where the interpreter cannot run one of them."""
        if self.failed >= _PATIENCE and not self.reached:
            return None
        begin = time.monotonic()
        for worker in self.workers:  # both at the same time
            self._ask(worker, example)
        found = [self._answer(worker) for worker in self.workers]
        self.seconds += time.monotonic() - begin
        ours, theirs = found
        if ours is None or theirs is None:
            self.failed += 1
            return None
        self.reached = True
        return ours, theirs

    def _ask(self, worker: VersionWorker, example: Example) -> None:
        try:
            worker.send_or_die(example, (RunOptions(),))
        except Refusal as refusal:
            worker.death = Died(refusal.failure)  # it cannot be imported

    def _answer(self, worker: VersionWorker) -> Coverage | None:
        (outcome,) = worker.receive(1)
        if outcome.failure is not None:
            self.trouble = str(outcome.failure)
            return None
        return outcome.coverage

    def close(self) -> None:
        for worker in self.workers:
            worker.close()


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
