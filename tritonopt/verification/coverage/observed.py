"""What both versions have run, over the examples that taught something."""

from __future__ import annotations

from dataclasses import dataclass, field

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.coverage_data import Coverage

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
