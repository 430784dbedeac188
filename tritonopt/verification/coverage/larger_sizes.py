"""Calls of larger sizes than those that tiles ask for, as long as something has not run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

from tritonopt.verification.coverage.call_changes import in_turn
from tritonopt.verification.coverage.demands import LOOPS, Demand
from tritonopt.verification.coverage.exploration import (
    COSTLY_WORK,
    MOST_WORK,
    MUCH_WORK,
    Exploration,
)
from tritonopt.verification.coverage.sized_calls import Change, Seen, SizedCalls, met, same
from tritonopt.verification.coverage.text_sizes import Numbers
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.coverage_data import Coverage

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


# What two calls have each alone, in one: a flag of one, and sizes or values of another.

Call = tuple[Mapping[str, int], Change]
"""The sizes that a call was made of, and how it was changed."""
_MOST_APART = 10
"""So many calls are crossed with each other."""
_MOST_APIECE = 50_000
"""Statements of kernels that each of two calls may have executed: some five seconds."""
_MOST_EXPECTED = 100_000
"""So many statements a call may be expected to execute that has both what one has and another."""
_HARDLY_ANY = 5_000
"""It hardly counts how much less than this a call executes."""
_LONG_WORK = 100_000
"""Statements that crossed calls may execute together that take long: some ten seconds."""
_MOST_ROUNDS = 3


@dataclass
class Crossing:
    """Makes crossed calls, as long as they come to something that has not run."""

    sized_calls: SizedCalls
    seen: Seen
    unmet: Callable[[], list[Demand]]
    left: int = _LONG_WORK
    """Statements that are left for calls that take long."""

    def examples(
        self, calls: Exploration, base: Mapping[str, int], changes: Sequence[Change]
    ) -> Iterator[Example]:
        """The calls; what they show is crossed again."""
        for _ in range(_MOST_ROUNDS):
            before, made = self.unmet(), dict(self.sized_calls.made())
            for sizes, change in crossed(made, base, before, self.seen, changes) if before else ():
                if not calls.fits(sizes) or change(self.sized_calls.plain(sizes)) in made:
                    continue
                # With a flag the same sizes may take far longer: once, not with each flag.
                if self._longest(sizes) > max(self.left, _HARDLY_ANY):
                    continue
                yield from calls.made(sizes, change)
                work = calls.work_of(sizes, change)
                self.left -= work if work > _HARDLY_ANY else 0
                if not self.unmet():
                    return
            if len(self.unmet()) == len(before):
                return

    def _longest(self, sizes: Mapping[str, int]) -> int:
        """How many statements the longest call of these sizes executed."""
        made = self.sized_calls.made().items()
        runs = (both for e, (own, _) in made if own == sizes and (both := self.seen(e)))
        return max(map(_work, runs), default=0)


def crossed(
    made: Mapping[Example, Call],
    base: Mapping[str, int],
    unmet: Sequence[Demand],
    seen: Seen,
    changes: Iterable[Change] = (),
) -> Iterator[Call]:
    """Calls that may come where none came alone: a loop over long rows that few rows take.

    Crossed are calls that ran together, as few as they are, all that any of them ran. First each
    with one of the `changes`, then two that both come to where something has still not run.
    """
    coverage = {example: both for example in made if (both := seen(example)) is not None}
    work = {example: _work(both) for example, both in coverage.items()}
    ran = {e: _ran(both) for e, both in coverage.items() if 0 < work[e] <= _MOST_APIECE}
    apart = _cover(ran, work)
    near = {example for example in apart if _enters(coverage[example], unmet)}
    for change, example in product(changes, sorted(apart, key=lambda e: e not in near)):
        yield made[example][0], _both(change, made[example][1])
    least = min((work[example] for example in ran), default=1)
    pairs = permutations(apart, 2)
    for one, other in sorted(pairs, key=lambda pair: not near.issuperset(pair)):
        # What makes either of them longer may be in both.
        if work[one] / least * work[other] > _MOST_EXPECTED:
            continue
        (sizes, change), (more, further) = made[one], made[other]
        own = {name: size for name, size in sizes.items() if size != base.get(name)}
        yield {**more, **own}, _both(change, further)


def _cover(ran: Mapping[Example, set[object]], work: Mapping[Example, int]) -> list[Example]:
    """A few calls that ran together what all did, each the one that adds the most for its time."""
    found: list[Example] = []
    left: set[object] = set().union(*ran.values())
    while left and len(found) < _MOST_APART:
        best = max(ran, key=lambda e: len(ran[e] & left) / (work[e] + _HARDLY_ANY))
        found.append(best)
        left -= ran[best]
    return found


def _ran(both: tuple[Coverage, Coverage]) -> set[object]:
    """Lines, outcomes of tests, second and ragged turns, in either version."""
    return {
        (at, thing)
        for at, side in enumerate(both)
        for thing in (
            *side.lines,
            *side.tests,
            *((line, min(loop.turns, 2), loop.ragged) for line, loop in side.loops.items()),
        )
    }


def _enters(both: tuple[Coverage, Coverage], unmet: Iterable[Demand]) -> bool:
    """Whether it runs anything of a function in which something has still not run."""
    sides: Mapping[str, Coverage] = dict(zip(("original", "rewritten"), both, strict=True))
    return any(sides[d.title].lines & set(d.within) for d in unmet)


def _both(one: Change, other: Change) -> Change:
    if one is same or one is other:
        return other
    return one if other is same else in_turn(other, one)


def _work(both: tuple[Coverage, Coverage]) -> int:
    return sum(coverage.work for coverage in both)
