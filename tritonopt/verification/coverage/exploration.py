"""Calls of sizes that are made one after the other, each by what the ones before have shown.

One size after the other is changed, and what loops and grids do then says which of them it
governs, and in tiles of what. It then gets two tiles and a rest, one tile, and one element more
and less, while the others stay small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

from tritonopt.verification.coverage.demands import LOOPS, Demand
from tritonopt.verification.coverage.sized_calls import (
    Change,
    Seen,
    SizedCalls,
    TriedSizes,
    in_turn,
    met,
    same,
)
from tritonopt.verification.coverage.text_differences import Numbers
from tritonopt.verification.inputs.examples import ROWS, Example
from tritonopt.verification.process.messages import Coverage, Loop, all_ran

_SMALL = 5
_SMALLER = 3
"""Where calls of small sizes take long: five of them multiply."""
_LONG_BASE = 2_000
"""Statements of such a call; all others take several times as long."""
_STEP = 4
"""So much larger than a small size at least is one that may show what it bears on."""
MOST_WORK = 6_000
"""Statements of kernels that one call may execute: about half a second of the interpreter."""
_ALL_WORK = 30_000
"""The same for all calls but those without which something would not have run."""
_MOST_ELEMENTS = 2**21
_MANY_ELEMENTS = 2**17
"""More than that are not drawn again and again."""
REST = 3
"""So many elements are left behind two tiles, where the original takes that."""
_LARGE_BLOCK = 2**16
"""Where launchers stop to make blocks as long as what they hold."""
_MOST_COUNTED = 8
"""A larger constant is the length of a tile."""
_LONGEST_GROUP = 2**10
_FEW_TILES = 2
"""Of so many tiles each, sizes are tried that are all longer than one."""
COSTLY_WORK = 200_000
"""Statements that a call may be expected to execute that is made to come farther: some twenty
seconds."""
MUCH_WORK = 100_000
"""Statements that such calls may execute together before they are counted: some ten seconds."""
_PROGRAMS = (17, 65)
"""More than 8 for each multiprocessor of the device that the interpreter stands for, and than 32.
"""
_MANY_TILES_WORK = 30_000
"""Statements that a call of so many tiles may execute, some three seconds."""
_ROUND = (16, 64, 128)
"""Sizes for launchers that take no odd ones."""
_TIMES = 8
"""So many times as large is the next size, where a loop over tiles gets longer with it."""


@dataclass
class Exploration:
    """Plain calls, or calls that are changed in one way."""

    sized_calls: SizedCalls
    """Every call that was made, of other explorations as well."""
    seen: Seen
    unmet: Callable[[], list[Demand]]
    calls_left: int
    change: Change = same
    """What it takes to come to the functions that are explored."""
    begin: Mapping[str, int] | None = None
    """The sizes that it takes, where small ones do not come to them."""
    work: int = 0
    best: dict[str, int] = field(default_factory=dict)
    """Of each size two tiles, where that was found."""
    _slopes: dict[str, float] = field(default_factory=dict)
    tried: TriedSizes = field(init=False)

    def __post_init__(self) -> None:
        self.tried = TriedSizes(self.of)
        self.names = list(self.sized_calls.signature.size_names)

    def sizes(self) -> Iterator[Example]:
        """What each size bears on, and tiles of it."""
        yield from self._begin()
        if not self.tried.base:
            return
        odd = all(size in (_SMALL, _SMALLER) for size in self.tried.base.values())
        for name, size in self.tried.base.items():
            small = odd or (self.begin is not None and size == _SMALL)
            yield from self._explore(name, ROWS if small else 2 * size)
        for name in self.names:
            yield from self._tiles(name, odd=odd)
        yield from self._many_tiles()
        for name in self.names:
            yield from self._tiles_of_tiles(name)
        yield from _groups_of_tiles(self)
        yield from self._all_larger()

    def base(self) -> Example | None:
        """The call that the others are changed from; None as long as there is none."""
        sizes = self.tried.base
        return self.change(self.sized_calls.plain(sizes)) if sizes or not self.names else None

    def attempt(
        self,
        sizes: Mapping[str, int],
        change: Change = same,
        *,
        needed: bool = False,
        most: int = MOST_WORK,
    ) -> Iterator[Example]:
        """The call, if it can be afforded; without `needed` all calls together have a limit."""
        if self.affordable(sizes, needed=needed, most=most):
            for name in sizes.keys() & self.tried.base.keys() if change is same else ():
                if sizes[name] % 2 and sizes[name] != self.tried.base[name]:
                    self.tried.odd.setdefault(name, []).append(sizes[name])
            yield from self.made(sizes, change)

    def made(self, sizes: Mapping[str, int], change: Change = same) -> Iterator[Example]:
        """The call, as long as there are calls left."""
        if not self.calls_left or self.sized_calls.may_be_in_vain(sizes, self._whole(change)):
            return
        self.calls_left -= 1
        example = self.sized_calls.make(sizes, self._whole(change))
        yield example
        self.work += self._cost(example)

    def _cost(self, example: Example) -> int:
        """How many statements a call executed, even if it could not be compared."""
        known = sum(c.work for c in self.seen(example) or ())
        return known or self.sized_calls.cost(example)

    def _whole(self, change: Change) -> Change:
        if self.change is same or change is same:
            return change if self.change is same else self.change
        return in_turn(self.change, change)

    def affordable(self, sizes: Mapping[str, int], *, needed: bool, most: int = MOST_WORK) -> bool:
        """Whether a call of these sizes is expected to take little time."""
        expected = self.expected(sizes)
        within = self.work + expected <= _ALL_WORK
        return expected <= most and self.fits(sizes) and (needed or within)

    def bearable(self, sizes: Mapping[str, int]) -> bool:
        """Whether a call of these sizes may be made once, although it takes long."""
        return self.expected(sizes) <= COSTLY_WORK and self.fits(sizes)

    def expected(self, sizes: Mapping[str, int]) -> float:
        """How many statements of kernels a call may execute beyond the base's."""
        return sum(
            self._slopes.get(name, 0.0) * (size - self.tried.base.get(name, size))
            for name, size in sizes.items()
        )

    def fits(self, sizes: Mapping[str, int]) -> bool:
        """Whether a call of these sizes has not too many elements, as far as is known."""
        few = self.sized_calls.elements(sizes) <= self.sized_calls.limits.aimed
        return few and not self.sized_calls.may_hang(sizes)

    # What a size bears on

    def _begin(self) -> Iterator[Example]:
        """A small call that the original takes, to change the others from."""
        powers = {n: (4, 8, 16, 32)[i % 4] for i, n in enumerate(self.names)}
        patterns = [dict.fromkeys(self.names, n) for n in (_SMALL, *_ROUND)]
        patterns.insert(1, powers)
        for sizes in patterns if self.begin is None else [dict(self.begin)]:
            yield from self.made(sizes)
            if self.of(sizes):
                if sum(c.work for c in self.of(sizes)) > _LONG_BASE and sizes is patterns[0]:
                    smaller = dict.fromkeys(sizes, _SMALLER)
                    yield from self.made(smaller)
                    sizes = smaller if self.of(smaller) else sizes
                self.tried.base, self.best = sizes, dict(sizes)
                return

    def _explore(self, name: str, size: int) -> Iterator[Example]:
        """One size alone larger: what loops do then, and what it costs."""
        sizes = {**self.tried.base, name: size}
        yield from self.attempt(sizes, needed=True)
        while not self.of(sizes) and size > self.tried.base[name] + _STEP:
            # Not so large, where nothing is written for a large one.
            size = (size + self.tried.base[name]) // 4 * 2 + 1
            sizes = {**self.tried.base, name: size}
            yield from self.attempt(sizes, needed=True)
        self.tried.explored[name] = size
        before, after = self.of(self.tried.base), self.of(sizes)
        calls = (self.change(self.sized_calls.plain(s)) for s in (self.tried.base, sizes))
        small, large = map(self._cost, calls)
        self._slopes[name] = max(large - small, 0) / max(size - self.tried.base[name], 1)
        if not before or not after:
            return
        self.tried.weighed.add(name)
        for title, old, new in zip(("original", "rewritten"), before, after, strict=True):
            for line, loop in new.loops.items():
                known = old.loops.get(line, Loop())
                if (known.bounds, known.turns) != (loop.bounds, loop.turns):
                    self.tried.governed.setdefault((title, line), set()).add(name)

    # Tiles

    def _tiles(self, name: str, *, odd: bool) -> Iterator[Example]:
        """Two tiles and a rest, then around one tile."""
        if not self.wanting(name) and self.tried.is_tile(name, 1):
            # One program for each: more of them show nothing more.
            return
        done: int | None = None
        for block in self._blocks(name):
            if done is None or self.wanting(name):
                for size in (2 * block + REST, 2 * block):
                    sizes = {**self.tried.base, name: size}
                    yield from self.attempt(sizes, needed=True)
                    if self.of(sizes):
                        self.best[name] = size
                        break
                done = block
            if not self.wanting(name):
                break
        if done is not None and odd:
            for size in (done + 1, done, done - 1):
                yield from self.attempt({**self.tried.base, name: size})

    def _many_tiles(self) -> Iterator[Example]:
        """More tiles than a launcher starts programs that takes some for each multiprocessor."""
        for count, name in product(_PROGRAMS, self.names):
            if not self._open("turns"):
                return
            size = max(self.best[name], self.tried.explored[name])
            shown = sorted({1, *self.shown(name)})
            for block in [b for b in shown if self.tried.is_tile(name, b, size)][-1:]:
                sizes = {**self.tried.base, name: count * block + 3}
                # Where functions are reached by long calls alone, more tiles take longer still.
                yield from self.attempt(sizes, needed=True, most=_MANY_TILES_WORK)

    def _tiles_of_tiles(self, name: str) -> Iterator[Example]:
        """Larger sizes, as long as a loop that must take a second turn gets longer with them."""
        before, size = self.of(self.tried.base), max(self.best[name], self.tried.explored[name])
        after = self.of({**self.tried.base, name: size})
        while self.tried.is_longer(before, after, self.unmet()):
            size = _TIMES * size + REST
            yield from self.attempt({**self.tried.base, name: size}, needed=True)
            before, after = after, self.of({**self.tried.base, name: size})

    def _blocks(self, name: str) -> Iterator[int]:
        """How long a tile of this size may be: what the launches show, the likeliest first."""
        shown = {c for c in self.shown(name) if c > 1}
        known = [b for b in sorted(shown) if self.tried.is_tile(name, b)]
        # Of tiles that hold both sizes seen so far, several of the largest are several of each.
        large = sorted((c for c in shown if c >= self.tried.explored[name]), reverse=True)
        tried: set[int] = set()
        for block in (
            *known[:1],
            *(large if not known else ()),
            *self.sized_calls.limits.blocks,
            *large,
            _LARGE_BLOCK,
        ):
            if block not in tried and (not tried or self.wanting(name)):
                tried.add(block)
                yield block
            # A block that grows with the size is another one by now.
            for grown in sorted(self.shown(name) - shown - tried):
                if self.wanting(name):
                    tried.add(grown)
                    yield grown

    def shown(self, name: str) -> set[int]:
        """Constants of launches and steps of loops, where this size was changed."""
        found: set[int] = set()
        for size in {self.best[name], self.tried.explored[name], self.tried.base[name]}:
            for coverage in self.of({**self.tried.base, name: size}):
                found |= coverage.constants
                found |= {abs(loop.bounds[2]) for loop in coverage.loops.values() if loop.bounds}
        return {n for n in found if 0 < n < _MOST_ELEMENTS}

    def costs(self, sizes: Mapping[str, int], change: Change, times: int = 1) -> bool:
        """Whether a call that was made took longer than most should, or several times as long."""
        return self.work_of(sizes, change) > times * MOST_WORK

    def work_of(self, sizes: Mapping[str, int], change: Change) -> int:
        """How many statements of kernels a call executed; 0 where it was not made."""
        seen = self.seen(self._whole(change)(self.sized_calls.plain(sizes)))
        return sum(c.work for c in seen or ())

    def of(self, sizes: Mapping[str, int]) -> tuple[Coverage, ...]:
        """What both versions ran on the call of these sizes; nothing where there is none."""
        return self.seen(self.change(self.sized_calls.plain(sizes))) or ()

    def _open(self, *kinds: str) -> list[Demand]:
        """What of these kinds is left; under a change, in functions to which that comes."""
        left = [d for d in self.unmet() if d.kind in kinds]
        return left if self.change is same else [d for d in left if self._comes_to(d)]

    def _comes_to(self, demand: Demand) -> bool:
        """Whether a call so far ran something of the function that it is asked of."""
        if not demand.within:
            return True
        calls = [self.tried.base, *({**self.tried.base, n: size} for n, size in self.best.items())]
        return any(demand.entered(both) for both in map(self.of, calls) if both)

    def wanting(self, name: str) -> bool:
        """Whether a loop that this size bears on has not gone as far as it must."""
        wanted = {(d.title, d.line) for d in self.unmet() if d.kind in ("turns", "ragged")}
        return any(name in self.tried.governed.get(loop, ()) for loop in wanted)

    def rich(self) -> dict[str, int]:
        """Two tiles of every size, as far as that can be afforded."""
        sizes = dict(self.tried.base)
        for name, size in sorted(self.best.items(), key=lambda item: item[1]):
            larger = {**sizes, name: size}
            few = self.sized_calls.elements(larger) < _MANY_ELEMENTS
            if few and self.fits(larger) and self.together(larger) <= MOST_WORK:
                sizes[name] = size
        return sizes

    def lighter(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The sizes of which the costliest is small again."""
        larger = [n for n, size in sizes.items() if size > self.tried.base[n]]
        costliest = max(larger, key=lambda n: self.expected({n: sizes[n]}), default=None)
        return {n: self.tried.base[n] if n == costliest else size for n, size in sizes.items()}

    def together(self, sizes: Mapping[str, int]) -> float:
        """How many statements a call may execute in which each size multiplies the others'."""
        least = max(sum(c.work for c in self.of(self.tried.base)), 1)
        times = (1 + self.expected({name: size}) / least for name, size in sizes.items())
        return math.prod(times, start=least)

    def alone(self, name: str, size: int, change: Change) -> Iterator[Example]:
        """A size while all others are 2, or 1, which costs little for loops inside of others."""
        for other in (2, 1):
            small = dict.fromkeys(self.names, other)
            few = {**small, name: 2 * _SMALL}
            for sizes in (small, few):
                if not self.work_of(sizes, change):
                    yield from self.made(sizes, change)
            before, after = (self.work_of(sizes, change) for sizes in (small, few))
            expected = after + (after - before) * size / (2 * _SMALL)
            if before and after and expected <= MOST_WORK:
                yield from self.made({**small, name: size}, change)
                return

    def _all_larger(self) -> Iterator[Example]:
        """Every size beyond a tile at once, where the shortest of them says how many there are.

        Or how often a loop turns, whose tile the files may mention: it was no longer than that.
        """
        tiles = sorted({b for name in self.names for b in self.shown(name) if b > 1})
        mentioned = [b for b in self.sized_calls.limits.blocks if b > max(tiles, default=0)]
        for block in (*tiles[:_FEW_TILES], *mentioned[:_FEW_TILES]):
            left = self._open("programs", *LOOPS)
            if not left:
                return
            sizes = dict.fromkeys(self.names, block + 3)
            light = self.together(sizes) <= MUCH_WORK
            asked = frozenset(d for d in left if self._comes_to(d))
            useless = asked and asked <= self.sized_calls.left_open_by(sizes)
            if len(self.names) > 1 and light and self.fits(sizes) and not useless:
                yield from self.made(sizes)
                self.sized_calls.leave_open(sizes, asked.intersection(self.unmet()))


def _groups_of_tiles(of: Exploration) -> Iterator[Example]:
    """A group of tiles and half of one, beside two tiles of one other size after the other.

    Small constants say how many tiles are in a group, or how many groups are in a tile.
    """
    base = of.tried.base
    runs = [run for name, size in of.best.items() for run in of.of({**base, name: size})]
    if of.change is not same or not runs:
        return
    steady = set.intersection(*({*run.constants} for run in runs))
    count = max((c for c in steady if 1 < c <= _MOST_COUNTED), default=0)
    for name, tile in product(of.names if count else (), sorted(steady)):
        size = 3 * count * tile // 2
        if tile <= _MOST_COUNTED or not of.best[name] < size <= _LONGEST_GROUP:
            continue
        others = [{n: size} for n, size in of.best.items() if n != name and size > base[n]]
        for other in others or [{}]:
            sizes = {**base, **other, name: size}
            if of.together(sizes) <= 2 * MOST_WORK:
                yield from of.attempt(sizes, needed=True)


# Calls of larger sizes than those that tiles ask for, as long as something has not run.

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

        One more than what the tests of the files compare with, then than what else they mention (a
        number of locks), and than what those of others like to compare with. What such a size costs
        is not known before: it may lead to another kernel. So what may take long comes last, and of
        that the longest.
        """
        if not self.calls.tried.base:
            return
        self.calls.calls_left = max(self.calls.calls_left, _CALLS)
        yield from self._growing_tiles()
        named, of = self.numbers.limits, self.calls
        counts = sorted(of.sized_calls.limits.counts, reverse=True)
        mentioned = [n for n in counts if _MOST_COUNTED < n < _LIMITS[0]]
        turns = product(dict.fromkeys([*named, *mentioned, *_LIMITS]), of.names)
        calls = [(size, name, self._of_one(name, size + 1)) for size, name in turns]
        calls.sort(key=lambda call: max(of.expected(call[2]), DEAR * MOST_WORK))
        for size, name, sizes in calls:
            unmet = of.unmet()
            if not unmet:
                return
            # A tile that grows up to a number is what keeps a loop from a second turn.
            bears = size in named and self._may_bear(name, unmet)
            if not bears and all(d.kind in LOOPS for d in unmet):
                continue
            expected, before = max(of.expected(sizes), 0.0), of.work
            most = MOST_WORK * (DEAR if size in mentioned else 1)
            wanted = size in named or of.affordable(sizes, needed=True, most=most)
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
        return max((sum(c.work for c in both) for both in runs), default=0)


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
    work = {example: sum(c.work for c in both) for example, both in coverage.items()}
    ran = {e: all_ran(both) for e, both in coverage.items() if 0 < work[e] <= _MOST_APIECE}
    apart = _cover(ran, work)
    near = {example for example in apart if any(d.entered(coverage[example]) for d in unmet)}
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


def _both(one: Change, other: Change) -> Change:
    if one is same or one is other:
        return other
    return one if other is same else in_turn(other, one)
