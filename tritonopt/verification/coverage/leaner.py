"""Smaller sizes for a call that takes long, which is to be made again and again."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.exploration import Exploration
from tritonopt.verification.coverage.reaching import met
from tritonopt.verification.coverage.sized_calls import Change
from tritonopt.verification.inputs.examples import Example

DEAR = 2
"""So many times as long as most calls should take, a call is not made again and again."""
_FEW = 2
_LITTLE_WORK = 1_000
"""Statements of a call of which more like it cost nothing."""
_HALVINGS = 2


@dataclass(frozen=True)
class Leaner:
    """Looks for them by making such calls."""

    calls: Exploration
    demands: Sequence[Demand]
    """What has to run."""

    def sizes(
        self, sizes: Mapping[str, int], change: Change
    ) -> Generator[Example, None, Mapping[str, int]]:
        """The sizes of a call with those smaller that have no part in what it runs.

        And the others half as long, where it takes long and runs as much then.
        """
        calls, base = self.calls, self.calls.tried.base
        few = {n: min(s, _FEW) if s <= base.get(n, 0) else s for n, s in sizes.items()}
        if few != sizes and calls.work_of(sizes, change) >= _LITTLE_WORK:
            yield from calls.made(few, change)
            sizes = few if self._runs_as_much(few, sizes, change) else sizes
        for _ in range(_HALVINGS):
            half = {n: s if s <= base.get(n, 0) else (s + 1) // 2 for n, s in sizes.items()}
            if half == sizes or not calls.costs(sizes, change, DEAR):
                break
            yield from calls.made(half, change)
            if not self._runs_as_much(half, sizes, change):
                break
            sizes = half
        return sizes

    def _runs_as_much(
        self, one: Mapping[str, int], other: Mapping[str, int], change: Change
    ) -> bool:
        """Whether a call of these sizes runs all that one of other sizes does."""
        both = (change(self.calls.sized_calls.plain(sizes)) for sizes in (one, other))
        found, wanted = (met(example, self.demands, self.calls.seen) for example in both)
        return found >= wanted
