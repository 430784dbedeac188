"""What is proved of the launches of a kernel that are to change with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.launches.launch_grids import statement_of
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.source.launches import places

_SEEN = "launches-are-seen"


@dataclass(frozen=True)
class LaunchPlan:
    """The launches of one kernel, each of which is seen and may change with it."""

    facts: KernelFacts
    attempt: Attempt

    @classmethod
    def of(cls, facts: KernelFacts, attempt: Attempt, *, way: str = "") -> LaunchPlan:
        """Raises Declined, and says which other `way` there is for the user."""
        check_statements(facts)
        why_not = why_not_changed(facts)
        if why_not:
            reason = "unseen-launches" if facts.launches.unknown else "launch-in-another-file"
            raise refuted(_SEEN, reason, "; ".join(filter(None, (why_not, way))))
        attempt.prove(_SEEN, f"the launches that are given, in {places(facts.launches.launches)}")
        return cls(facts, attempt)

    def __iter__(self) -> Iterator[PlannedLaunch]:
        return map(PlannedLaunch, self.facts.launches.launches)


def can_choose(facts: KernelFacts) -> bool:
    """Whether each launch could start a copy of the kernel too.

    The kernel is a function of the file's own block, which each launch calls by its name.
    """
    at_the_top = facts.kernel.node in facts.kernel.module.tree.body
    launches = map(PlannedLaunch, facts.launches.launches)
    return at_the_top and all(at.called is not None for at in launches)


def check_statements(facts: KernelFacts) -> None:
    """Raises Declined where somebody may launch again what a launch returns."""
    for launch in facts.launches.launches:
        if statement_of(launch) is None:
            detail = f"the launch in {launch.where} is no statement of its own"
            why = "what it returns can be launched again"
            raise unknown(_SEEN, "unseen-launches", f"{detail}: {why}")


def why_not_changed(facts: KernelFacts) -> str:
    """Why the launches cannot all change with the kernel; "" where they can."""
    elsewhere = [launch.where for launch in facts.launches.launches if launch.is_elsewhere]
    if facts.launches.unknown or not elsewhere:
        return facts.launches.unknown
    return (
        f"the launch in {elsewhere[0]} would have to change with the kernel, and each file "
        f"is changed by itself: move the function that launches into the kernel's file"
    )
