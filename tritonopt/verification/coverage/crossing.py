"""What two calls have each alone, in one: a flag of one, and sizes or values of another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from tritonopt.verification.coverage.call_changes import in_turn
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.exploration import Exploration
from tritonopt.verification.coverage.sized_calls import Change, Seen, SizedCalls, same
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.coverage_data import Coverage

Call = tuple[Mapping[str, int], Change]
"""The sizes that a call was made of, and how it was changed."""
_MOST_APART = 10
"""So many calls are crossed with each other."""
_MOST_WORK = 50_000
"""Statements of kernels that each of two calls may have executed: some five seconds."""
_MOST_EXPECTED = 100_000
"""So many statements a call may be expected to execute that has both what one has and another."""
_LITTLE_WORK = 5_000
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
                if self._longest(sizes) > max(self.left, _LITTLE_WORK):
                    continue
                yield from calls.made(sizes, change)
                work = calls.work_of(sizes, change)
                self.left -= work if work > _LITTLE_WORK else 0
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
    ran = {e: _ran(both) for e, both in coverage.items() if 0 < work[e] <= _MOST_WORK}
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
        best = max(ran, key=lambda e: len(ran[e] & left) / (work[e] + _LITTLE_WORK))
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
