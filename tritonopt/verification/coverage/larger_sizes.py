"""Calls of larger sizes than those that tiles ask for, as long as something has not run."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from tritonopt.verification.coverage.demands import LOOPS, Demand
from tritonopt.verification.coverage.exploration import (
    COSTLY_WORK,
    MOST_WORK,
    MUCH_WORK,
    Exploration,
)
from tritonopt.verification.coverage.sized_calls import Change, met
from tritonopt.verification.coverage.text_sizes import Numbers
from tritonopt.verification.inputs.examples import Example

_LIMITS = (2**12, 2**14, 2**15, 2**16)
"""Where launchers like to take another kernel, or a loop for one tile."""
_CALLS = 16
"""So many calls there are for it in any case: many flags and values may have used up the others."""
_MOST_COSTLY = 2
"""So many calls may take long that are made to come beyond what a test compares with."""


@dataclass
class Patience:
    """What is left for calls that may take long; several explorations can share it."""

    costly: int = _MOST_COSTLY
    work: float = MUCH_WORK

    def bears(self, expected: float, *, named: bool) -> bool:
        """Whether a call of so many statements may be made, which is counted then.

        More than a few are for sizes alone that the files name.
        """
        if expected <= self.work:
            self.work -= expected
            return True
        if not (named and self.costly and expected <= COSTLY_WORK):
            return False
        self.costly -= 1
        return True


@dataclass
class LargerSizes:
    """One size after the other beyond what is mentioned, the others as small as before."""

    calls: Exploration
    numbers: Numbers
    patience: Patience = field(default_factory=Patience)

    def examples(self) -> Iterator[Example]:
        """The calls.

        One more than what the tests of the files compare with, then than what those of others
        like to. What such a size costs is not known before: it may lead to another kernel. So what
        may take long comes last, and of that the longest.
        """
        if not self.calls.tried.base:
            return
        self.calls.calls_left = max(self.calls.calls_left, _CALLS)
        yield from self._growing_tiles()
        named, of = self.numbers.limits, self.calls
        turns = product([*named, *(n for n in _LIMITS if n not in named)], of.names)
        calls = [(size, name, self._of_one(name, size + 1)) for size, name in turns]
        calls.sort(key=lambda call: max(of.expected(call[2]), MOST_WORK))
        for size, name, sizes in calls:
            unmet = of.unmet()
            if not unmet:
                return
            # A tile that grows up to a number is what keeps a loop from a second turn.
            bears = size in named and self._may_bear(name, unmet)
            if not bears and all(d.kind in LOOPS for d in unmet):
                continue
            expected, before = max(of.expected(sizes), 0.0), of.work
            wanted = size in named or of.affordable(sizes, needed=True)
            if wanted and of.fits(sizes) and self.patience.bears(expected, named=size in named):
                yield from of.made(sizes)
                # Another kernel may take longer than the plain one let expect.
                self.patience.work -= max(of.work - before - expected, 0.0)

    def _may_bear(self, name: str, unmet: Sequence[Demand]) -> bool:
        """Whether a size bears on a loop that is left, or it is not known what does."""
        return self.calls.wanting(name) or not all(map(self.calls.tried.governs, unmet))

    def _growing_tiles(self) -> Iterator[Example]:
        """Sizes with which a tile grows that has been one element long, the largest of them first.

        What smaller ones show comes with those.
        """
        of, costly = self.calls, _MOST_COSTLY
        turns = product(dict.fromkeys(self.numbers.growing), of.names)
        calls = [sizes for n, name in turns if of.bearable(sizes := self._of_one(name, n + 1))]
        for sizes in sorted(calls, key=of.expected, reverse=True):
            unmet = of.unmet()
            never_ran = {(d.title, d.line) for d in unmet if d.kind == "line"}
            if not any(d.kind == "lanes" and (d.title, d.line) not in never_ran for d in unmet):
                return
            long = not of.affordable(sizes, needed=True)
            if costly or not long:
                costly -= long
                yield from of.made(sizes)

    def _of_one(self, name: str, size: int) -> Mapping[str, int]:
        """One size beside those of the base, or beside 1 where that is too much."""
        sizes = {**self.calls.tried.base, name: size}
        if self.calls.fits(sizes):
            return sizes
        return {**dict.fromkeys(self.calls.names, 1), name: size}


# Smaller sizes for a call that takes long, which is to be made again and again.

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
