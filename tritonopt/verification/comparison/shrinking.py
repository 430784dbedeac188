"""Making a counterexample small, and how much time that may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from tritonopt.verification.comparison.compare import Difference
from tritonopt.verification.comparison.tally import Counterexample
from tritonopt.verification.coverage.sized_calls import SizedCalls
from tritonopt.verification.inputs.examples import Example

SHRINK_SECONDS = 20.0
MOST_SMALLER = 20
"""So many smaller calls are tried of one that shows a difference."""


@dataclass
class FirstDifference:
    """When the first difference was found."""

    at: float | None = None
    """By the monotonic clock."""
    waited: float = 0.0
    """For how long the workers had been waited for until then."""

    def seen(self, waited: float) -> None:
        if self.at is None:
            self.at, self.waited = time.monotonic(), waited


def deadline(*, ends: bool) -> float:
    """Until when smaller examples are tried from now on; a hang takes as long every time."""
    return time.monotonic() + (SHRINK_SECONDS if ends else 0.0)


def smaller(
    calls: SizedCalls,
    aimed: Example,
    difference: Difference,
    shown: Callable[[Example], Difference | None],
    *,
    until: float,
) -> Counterexample:
    """The difference at the smallest sizes, one after the other, for which it is shown.

    What could not be tried until a time, by the monotonic clock, is left as it is.
    """
    tries = MOST_SMALLER
    for name in calls.sizes_of(aimed):
        least, size = 1, calls.sizes_of(aimed)[name]
        while least < size and tries and time.monotonic() < until:
            middle, tries = (least + size) // 2, tries - 1
            example = calls.with_size(aimed, name, middle)
            found = shown(example)
            if found is None:
                least = middle + 1
            else:
                aimed, difference, size = example, found, middle
    return aimed, difference
