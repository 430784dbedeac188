"""Calls made from sizes, of which the sizes can be changed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from tritonopt.verification.coverage.demands import NUMBERS, Demand
from tritonopt.verification.inputs.examples import Example, Limits
from tritonopt.verification.inputs.plain_examples import sized
from tritonopt.verification.process.coverage_data import Coverage, Loop
from tritonopt.verification.signature.argument_language import Signature

# Which of the calls so far run what differs, or come near, where a plain one does not.

Seen = Callable[[Example], tuple[Coverage, Coverage] | None]
"""What both versions ran on an example; None where the original did not take it."""
_MOST = 2


def reaching(
    made: Iterable[Example], plain: Iterable[Example], demands: Sequence[Demand], seen: Seen
) -> list[Example]:
    """A few calls that run what none of the plain ones does, each as much of it as can be.

    Of several that run as much the one that executes least: it is made again and again.
    """
    made = sorted(made, key=lambda example: _work(example, seen))
    found_in = {example: met(example, demands, seen) for example in made}
    left = set().union(*found_in.values()).difference(*(met(e, demands, seen) for e in plain))
    found: list[Example] = []
    while left and len(found) < _MOST:
        best = max(found_in, key=lambda example: len(found_in[example] & left))
        found.append(best)
        left -= found_in[best]
    return found


def _work(example: Example, seen: Seen) -> int:
    return sum(coverage.work for coverage in seen(example) or ())


def met(example: Example, demands: Sequence[Demand], seen: Seen) -> set[Demand]:
    """What of it a call runs, and which loops take a second turn."""
    both = seen(example)
    if both is None:
        return set()
    sides: Mapping[str, Coverage] = dict(zip(("original", "rewritten"), both, strict=True))
    asked = (d for d in demands if d.kind in ("line", "true", "false", "turns"))
    return {d for d in asked if d.met_by(sides[d.title])}


def entering(
    made: Iterable[Example], explored: Iterable[Example], unmet: Sequence[Demand], seen: Seen
) -> Example | None:
    """The call that comes to most functions in which something has still not run.

    To those to which none of the explored ones comes; of several the one that executes least.
    """
    known = set().union(*(_entered(example, unmet, seen) for example in explored))
    made = sorted(made, key=lambda example: _work(example, seen))
    entered = {example: _entered(example, unmet, seen) - known for example in made}
    best = max(entered, key=lambda example: len(entered[example]), default=None)
    return best if best is not None and entered[best] else None


def _entered(example: Example, unmet: Sequence[Demand], seen: Seen) -> set[tuple[str, range]]:
    """The functions of some demands of which a call runs anything."""
    both = seen(example)
    if both is None:
        return set()
    sides: Mapping[str, Coverage] = dict(zip(("original", "rewritten"), both, strict=True))
    return {(d.title, d.within) for d in unmet if sides[d.title].lines & set(d.within)}


def open_numbers(
    demands: Iterable[Demand], runs: Iterable[tuple[Coverage, Coverage] | None]
) -> list[int]:
    """Numbers of which no comparison, limit or other expression has come out both ways."""
    seen = [both for both in runs if both]
    together = [reduce(Coverage.merged, each) for each in zip(*seen, strict=True)]
    asked = (d for d in demands if d.kind in NUMBERS or d.is_far)
    never = (d for d in asked if not seen or not d.met_by(together[d.title == "rewritten"]))
    return list(dict.fromkeys(d.number for d in never if d.number is not None))


# Which sizes were tried one at a time, and what loops made of them.


@dataclass
class TriedSizes:
    """One size after the other, while all others are the base's."""

    of: Callable[[Mapping[str, int]], tuple[Coverage, ...]]
    """What both versions ran on a plain call of these sizes; nothing where there is none."""
    base: Mapping[str, int] = field(default_factory=dict)
    explored: dict[str, int] = field(default_factory=dict)
    """The larger size that showed on which loops a name bears."""
    weighed: set[str] = field(default_factory=set)
    """Names of which that is known."""
    governed: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    """The sizes that bear on the turns of a loop of a version."""
    odd: dict[str, list[int]] = field(default_factory=dict)
    """Odd sizes that were tried."""

    def largest_single(self, demand: Demand) -> int:
        """The largest size tried that bears on a loop, where it never took a second turn; or 0."""
        at = ("original", "rewritten").index(demand.title)
        largest = 0
        for name in self.governed.get((demand.title, demand.line), ()):
            for size in (*self.odd.get(name, ()), self.explored.get(name, 0)):
                found = self.of({**self.base, name: size})
                turns = found[at].loops.get(demand.line, Loop()).turns if found else 0
                largest = max(largest, size if turns == 1 else 0)
        return largest

    def governs(self, demand: Demand) -> bool:
        """Whether a size bears on how often a loop turns."""
        return (demand.title, demand.line) in self.governed

    def cannot_be_ragged(self, demand: Demand) -> bool:
        """Whether all was tried that could have cut the last turn of a loop short.

        A size that bears on it was odd, which is a multiple of no tile; and either the loop took
        several turns and all of them whole, or the original takes no such size.
        """
        at = ("original", "rewritten").index(demand.title)
        if not self.governs(demand):
            # No size has a part in how often it turns, as far as each could be changed.
            return self.weighed >= set(self.base)
        for name in self.governed[demand.title, demand.line]:
            for size in self.odd.get(name, ()):
                found = self.of({**self.base, name: size})
                if not found or found[at].loops.get(demand.line, Loop()).turns >= 2:
                    return True
        return False

    def is_tile(self, name: str, block: int, size: int = 0) -> bool:
        """Whether a grid or a loop has grown, up to a size, as the number of such tiles has."""
        size = size or self.explored[name]
        tiles = tuple(-(-n // block) for n in (self.base[name], size))
        if tiles[0] == tiles[1]:
            return False
        small, large = self.of(self.base), self.of({**self.base, name: size})
        return any(_grows(*pair, tiles) for pair in zip(small, large, strict=False))

    def is_longer(
        self, before: Sequence[Coverage], after: Sequence[Coverage], unmet: Sequence[Demand]
    ) -> bool:
        """Whether a loop that took no second turn, and must, has more to do than before."""
        wanted = {(d.title, d.line) for d in unmet if d.kind == "turns"}
        return any(
            (title, line) in wanted and _length(loop) > _length(old.loops.get(line, loop))
            for title, old, new in zip(("original", "rewritten"), before, after, strict=False)
            for line, loop in new.loops.items()
        )


def _length(loop: Loop) -> int:
    """How far it is from where a loop begins to where it ends."""
    return abs(loop.bounds[1] - loop.bounds[0]) if loop.bounds else 0


def _grows(before: Coverage, after: Coverage, counts: tuple[int, ...]) -> bool:
    """Whether a grid or a loop went from the one count to the other."""
    for (_, grid), (_, grown) in zip(before.grids, after.grids, strict=False):
        if counts in list(zip(grid, grown, strict=False)):
            return True
    turns = ((before.loops.get(n, Loop()).turns, loop.turns) for n, loop in after.loops.items())
    return any(pair == counts for pair in turns)


Change = Callable[[Example], Example]
_NEARLY = 0.9
_TOO_MUCH_FOR_NOTHING = 20_000
"""Statements of kernels, about a second of the interpreter."""


def same(example: Example) -> Example:
    """No change."""
    return example


@dataclass(frozen=True)
class SizedCalls:
    """Makes calls, and knows from what it made each."""

    signature: Signature
    limits: Limits
    _origins: dict[Example, tuple[Mapping[str, int], Change]] = field(default_factory=dict)
    _hung: list[int] = field(default_factory=list)
    """How many elements the calls had that did not end in time."""
    _costs: dict[Example, int] = field(default_factory=dict)
    """How many statements of kernels a call executed, whatever came of it."""
    _in_vain: list[tuple[Mapping[str, int], Change]] = field(default_factory=list)
    """Calls that took long, and could not be compared."""

    _left_open: dict[tuple[tuple[str, int], ...], frozenset[Demand]] = field(default_factory=dict)

    def make(self, sizes: Mapping[str, int], change: Change = same) -> Example:
        """A call of these sizes, otherwise plain but for the change."""
        found = change(self.plain(sizes))
        self._origins[found] = sizes, change
        return found

    def plain(self, sizes: Mapping[str, int]) -> Example:
        """The plain call of these sizes."""
        return sized(self.signature, self.limits, sizes)

    def elements(self, sizes: Mapping[str, int]) -> int:
        """How many elements its tensors have together."""
        return sum(recipe.elements for recipe in self.plain(sizes).tensors.values())

    def hung(self, example: Example) -> None:
        """A call did not end in time."""
        self._hung.append(self.elements(self.sizes_of(example)))

    def may_hang(self, sizes: Mapping[str, int]) -> bool:
        """Whether a call of these sizes is as large as one that did not end in time."""
        return bool(self._hung) and self.elements(sizes) >= min(self._hung)

    def took(self, example: Example, work: int, *, in_vain: bool) -> None:
        """A call executed so many statements; `in_vain` where it could not be compared."""
        self._costs[example] = work
        if in_vain and work > _TOO_MUCH_FOR_NOTHING:
            self._in_vain.append(self._origins[example])

    def cost(self, example: Example) -> int:
        """How many statements of kernels a call executed; 0 where that is not known."""
        return self._costs.get(example, 0)

    def may_be_in_vain(self, sizes: Mapping[str, int], change: Change) -> bool:
        """Whether a call is about as large in each size as one that took long for nothing.

        With the same change; or as two, whatever else they were given.
        """
        alike = [
            known is change
            for larger, known in self._in_vain
            if all(_NEARLY * size <= sizes.get(name, 0) for name, size in larger.items())
        ]
        return any(alike) or len(alike) > 1

    def leave_open(self, sizes: Mapping[str, int], demands: frozenset[Demand]) -> None:
        """A call of these sizes came to functions and did not meet that."""
        key = tuple(sorted(sizes.items()))
        self._left_open[key] = self._left_open.get(key, frozenset()) | demands

    def left_open_by(self, sizes: Mapping[str, int]) -> frozenset[Demand]:
        """What calls of these sizes have not met, whatever else they were given."""
        return self._left_open.get(tuple(sorted(sizes.items())), frozenset())

    def sizes_of(self, example: Example) -> Mapping[str, int]:
        """The sizes that a call was made with."""
        return self._origins[example][0]

    def made(self) -> Mapping[Example, tuple[Mapping[str, int], Change]]:
        """All calls so far, and of what sizes and change each was made."""
        return self._origins

    def with_size(self, example: Example, name: str, size: int) -> Example:
        """The same call with one size changed."""
        sizes, change = self._origins[example]
        return self.make({**sizes, name: size}, change)
