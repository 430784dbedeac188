"""Calls that are made to reach what must have run: sizes, flags, values and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product

from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.exploration import (
    DEAR,
    REST,
    Crossing,
    Exploration,
    LargerSizes,
    Leaner,
    Patience,
)
from tritonopt.verification.coverage.sized_calls import (
    FIRST_CLASSES,
    MORE_CLASSES,
    WHOLE,
    Change,
    Seen,
    SizedCalls,
    TriedSizes,
    above,
    around,
    at_numbers,
    at_the_ends,
    at_the_highest,
    beyond,
    entering,
    in_turn,
    left_free,
    meeting,
    of_one_number,
    of_values,
    of_whole_types,
    one_narrower,
    open_numbers,
    other_types,
    other_values,
    pairs_of_changes,
    reaching,
    same,
    typed,
    with_values,
)
from tritonopt.verification.coverage.text_differences import Numbers
from tritonopt.verification.inputs.examples import (
    CONSTANT,
    MANY_NANS,
    NONFINITE,
    OFFSET,
    UP_TO,
    Example,
    Limits,
)
from tritonopt.verification.signature.argument_language import Signature

_MOST_CALLS = 80
_LONG_SUM = 128
"""Times two tiles: bfloat16 has eight bits."""
_MOST_LONG = 2
_MOST_SINGLED_OUT = 24
_MOST_CHANGES = 6
"""Beside the plain calls, so many changes may be explored: kernels that a flag each leads to."""
_MOST_FLAGS = 3
"""So many other values of arguments are explored that lead to nothing by themselves."""
_MOST_HELD = 3
"""So many numbers in what differs, or to which something is scaled, are tried as what tensors
hold."""
_CALLS_UNDER_A_CHANGE = 30
_CALLS_CROSSED = 80
_FEW_CLASSES = len(FIRST_CLASSES) + 1
"""Of values, for a call that takes long."""
_LONG = 4
"""So many times as long as most calls should take."""
_FIRST_PAIRS = 24
"""So many combinations of two values come before sizes that take long."""
_MOST_COSTLY = 2
"""So many calls may take long that are made of many tiles."""
_MOST_PARTS = 16
"""Sizes are made multiples of no number beyond that."""


@dataclass
class Aiming:
    """The calls, one after the other; each looks at what the ones before have shown."""

    signature: Signature
    limits: Limits
    seen: Seen
    unmet: Callable[[], list[Demand]]
    demands: Sequence[Demand] = ()
    """What has to run of both versions, met or not."""
    numbers: Numbers = Numbers()
    given: bool = False
    """Whether the caller says what the launcher is called with: then no tensor has another type."""
    sized_calls: SizedCalls = field(init=False)
    """Every call that was made."""
    plain: Exploration = field(init=False)
    values: tuple[Change, ...] = field(init=False)
    """Changes of the values alone."""
    changed: list[Exploration] = field(default_factory=list)
    """Sizes explored with something else changed as well."""
    patience: Patience = field(default_factory=Patience)
    """Theirs together."""
    crossing: Crossing = field(init=False)

    def __post_init__(self) -> None:
        self.sized_calls = SizedCalls(self.signature, self.limits)
        self.crossing = Crossing(self.sized_calls, self.seen, self.unmet)
        self.plain = self._exploration(_MOST_CALLS)
        self.values = _classes(self.signature, self.numbers, self.numbers.compared)

    def _exploration(
        self, calls: int, change: Change = same, begin: Mapping[str, int] | None = None
    ) -> Exploration:
        return Exploration(self.sized_calls, self.seen, self.unmet, calls, change, begin)

    @property
    def types(self) -> list[Change]:
        """Other types of floats than the first."""
        within = self.signature if self.given else None
        types = other_types(self.signature, self.limits, given=self.given)
        return [partial(typed, dtype=dtype, within=within) for dtype in types]

    @property
    def flags(self) -> list[Change]:
        """Other values than the first, of one argument each."""
        return [partial(with_values, values=v) for v in other_values(self.signature)]

    @property
    def every_tried(self) -> list[TriedSizes]:
        """What was tried of sizes, and under which changes."""
        return [exploration.tried for exploration in (self.plain, *self.changed)]

    def examples(self, *, briefly: bool = False) -> Iterator[Example]:
        """Every call; ends where its budget does.

        `briefly` without single numbers, and on only where sizes and values run more than has run.
        """
        plain, before = self.plain, len(self.unmet())
        yield from plain.sizes()
        compared = [*_limits_met(self.sized_calls, self.seen), *self.numbers.compared]
        self.values = _classes(self.signature, self.numbers, compared)
        if not plain.tried.base and plain.names:
            return
        rich = plain.rich()
        yield from plain.made(rich)
        while plain.costs(rich, same, DEAR) and plain.lighter(rich) != rich:
            # Sizes may multiply each other more than could be known before.
            rich = plain.lighter(rich)
            yield from plain.made(rich)
        yield from self._variations(rich)
        if briefly and not 0 < len(self.unmet()) < before:
            return
        pairs = pairs_of_changes(self.signature, self.limits, given=self.given)
        yield from self._combinations(rich, pairs[:_FIRST_PAIRS])
        yield from () if briefly else LargerSizes(plain, self.numbers).examples()
        yield from self._crossed()
        yield from self._under_changes()
        yield from self._crossed()
        if briefly:
            return
        yield from self._under_flags()
        yield from self._where_it_runs(rich)
        yield from self._of_one_value()
        yield from self._numbers(plain.tried.base, same, _MOST_SINGLED_OUT)
        yield from self._numbers_in_tensors()
        yield from self._numbers_of_tiles()
        yield from self._combinations(rich, pairs[_FIRST_PAIRS:])

    def long_sums(self) -> Iterator[Example]:
        """Many tiles of what loops run over, of the narrowest type: what is added up in that loses
        what comes late. Whole numbers are all the same there, so that a count of 8 bits wraps."""
        changes = [*_narrow(self), at_the_highest] if self.numbers.bytes else [*_narrow(self)]
        governed = set().union(*self.plain.tried.governed.values())
        for name in [n for n in self.plain.names if n in governed][:_MOST_LONG]:
            size = _LONG_SUM * self.plain.best[name] + 3
            sizes = {**dict.fromkeys(self.plain.names, 2), name: size}
            yield from (self.sized_calls.make(sizes, c) for c in changes if self.plain.fits(sizes))

    def _variations(self, sizes: Mapping[str, int]) -> Iterator[Example]:
        """Every value of what has a few, tensors left out, and values that few rows have.

        And one of everything in turn: a single sequence has all that several would share.
        """
        for name in self.plain.names if len(self.plain.names) > 1 else ():
            yield from self.plain.made({**sizes, name: 1})
        for values in other_values(self.signature):
            chosen = partial(with_values, values=values)
            yield from self.plain.made(sizes, chosen)
            parts = [v for v in values.values() if type(v) is int and 1 < v <= _MOST_PARTS]
            if parts and self.seen(chosen(self.sized_calls.plain(sizes))) is None:
                # A number of groups, say, of which sizes have to be multiples.
                multiples = {n: -(-size // parts[0]) * parts[0] for n, size in sizes.items()}
                yield from self.plain.made(multiples, chosen)
        for change in () if self.given else around(self.signature, self.numbers.fractions):
            yield from self.plain.made(sizes, change)
        narrower = list(one_narrower(self.signature, self.limits))
        for change in (*self.types, *narrower, *self.values):
            yield from self.plain.made(sizes, change)
        absent = {t.name: None for t in self.signature.tensors if None in t.instead}
        alone = partial(with_values, values=absent)
        for change in (*narrower, *self.values[:_FEW_CLASSES]) if absent else ():
            yield from self.plain.made(sizes, in_turn(change, alone))
        # Only a flag may lead to what such a number is compared with.
        for pair in product(beyond(self.numbers.large), self.flags[:_MOST_FLAGS]):
            yield from self.plain.made(sizes, in_turn(*pair))
        for change in meeting(self.signature):
            if self.unmet():
                yield from self.plain.made(sizes, change)
            # What is left out leaves out what is no number as well.
            yield from self.plain.made(sizes, in_turn(change, of_values(MANY_NANS)))
        base, governed = self.plain.tried.base, self.plain.tried.governed.values()
        for these, change in at_the_ends(self.signature, sizes, base, set().union(*governed)):
            yield from self.plain.made(these, change) if self.plain.fits(these) else ()
        for change in left_free(self.signature) if self.numbers.left_free else ():
            yield from self.plain.made(sizes, change)
        for dtype in WHOLE if self.unmet() and not self.given else ():
            yield from self.plain.made(sizes, partial(typed, dtype=dtype))
        yield from self._above_limits(sizes)

    def _above_limits(self, sizes: Mapping[str, int]) -> Iterator[Example]:
        """Whole numbers above the limits of the text; with other values where some never ran."""
        others = [*self.types, *self.flags]
        for change in above(self.signature, self.numbers.limits):
            yield from self.plain.made(sizes, change)
            taken = self.seen(change(self.sized_calls.plain(sizes))) is not None
            for other in others if taken and self.unmet() else ():
                yield from self.plain.made(sizes, in_turn(change, other))

    def _under_changes(self) -> Iterator[Example]:
        """Sizes for functions that the plain call does not come to, but another one does.

        Where a flag or a size leads to another kernel, that one has loops and a grid of its own.
        """
        for _ in range(_MOST_CHANGES):
            explorations = [self.plain, *self.changed]
            bases = [example for e in explorations if (example := e.base()) is not None]
            made = self.sized_calls.made()
            found = entering(list(made), bases, self.unmet(), self.seen)
            if found is None:
                return
            sizes, change = made[found]
            # With a flag alone first: its sizes may be as small as those of plain calls.
            begin = sizes if any(e.change is change for e in explorations) else None
            yield from self._explored_under(change, begin)

    def _under_flags(self) -> Iterator[Example]:
        """Sizes for what only several programs, lanes or turns show, with each flag in turn.

        A flag that names a dimension makes another one long, or short, of the same kernel.
        """
        for flag in self.flags[:_MOST_FLAGS]:
            if not any(d.kind in ("programs", "lanes", "turns") for d in self.unmet()):
                return
            yield from self._explored_under(flag, None)

    def _explored_under(self, change: Change, begin: Mapping[str, int] | None) -> Iterator[Example]:
        """What each size bears on while a call is changed."""
        inner = self._exploration(_CALLS_UNDER_A_CHANGE, change, begin)
        self.changed.append(inner)
        larger = LargerSizes(inner, self.numbers, self.patience)
        for example in chain(inner.sizes(), larger.examples()):
            yield example
            if not self.unmet():
                return

    def _crossed(self) -> Iterator[Example]:
        """What it takes to come to one thing with what it takes to come to another."""
        changes: list[Change] = [*meeting(self.signature), *self.flags]
        calls = self._exploration(_CALLS_CROSSED)
        yield from self.crossing.examples(calls, self.plain.tried.base, changes)

    def _where_it_runs(self, rich: Mapping[str, int]) -> Iterator[Example]:
        """Sizes, values and numbers on top of what it takes to run what differs."""
        made = self.sized_calls.made()
        usual = self.plain.tried.base, rich
        plain = [e for e, (sizes, change) in made.items() if change is same and sizes in usual]
        for example in reaching(list(made), plain, self.demands, self.seen):
            sizes, change = made[example]
            # What bears on one size alone is not seen where all of them are two tiles long.
            for name, size in self.plain.best.items() if change is not same else ():
                tile = (size - REST) // 2
                for one in (size, tile + 1, tile) if size > self.plain.tried.base[name] else ():
                    alone = {**self.plain.tried.base, name: one}
                    yield from self.plain.attempt(alone, change, needed=True)
            sizes = yield from Leaner(self.plain, self.demands).sizes(sizes, change)
            costly = self.plain.costs(sizes, change, _LONG)
            for values in self.values[: _FEW_CLASSES if costly else None]:
                yield from self.plain.made(sizes, in_turn(change, values))
            yield from self._numbers(sizes, change, _MOST_SINGLED_OUT // 2)

    def _of_one_value(self) -> Iterator[Example]:
        """Each size in turn, where a launcher computed what came to the same in every call."""
        for demand in [d for d in self.unmet() if d.span is not None]:
            for example, (sizes, change) in self.sized_calls.made().items():
                both = self.seen(example)
                if both and demand.span in both[demand.side].values:
                    for name, size in sizes.items():
                        if demand in self.unmet():
                            yield from self.plain.attempt({**sizes, name: 2 * size + REST}, change)
                    break

    def _numbers(self, base: Mapping[str, int], change: Change, most: int) -> Iterator[Example]:
        """What the text singles out, for each size, and for the product of all."""
        made, names = 0, self.plain.names
        for size in self.numbers.singled_out if names else ():
            together = {**dict.fromkeys(names, 1), names[-1]: size}
            if len(names) > 1 and made < most and self.plain.affordable(together, needed=False):
                yield from self.plain.made(together, change)
            for name in names[: most - made]:
                made += 1
                sizes = {**base, name: size}
                if self.plain.affordable(sizes, needed=False):
                    yield from self.plain.attempt(sizes, change)
                    yield from self._narrow(sizes, change)
                else:
                    yield from self.plain.alone(name, size, change)

    def _narrow(self, sizes: Mapping[str, int], change: Change) -> Iterator[Example]:
        """Of a type of which more has room, what the original does not take of the first one."""
        if self.seen(change(self.sized_calls.plain(sizes))) is None:
            for narrow in self.types[:1]:
                yield from self.plain.made(sizes, in_turn(change, narrow))

    def _numbers_in_tensors(self) -> Iterator[Example]:
        """Numbers in what differs, and one more, as lengths and indices that tensors hold."""
        numbers = [n + more for n in self.numbers.changed[:_MOST_HELD] for more in (0, 1)]
        for number, name in product(numbers, self.plain.names):
            change = partial(of_one_number, number=number)
            sizes = {**self.plain.tried.base, name: number + 1}
            plain = self.sized_calls.plain(sizes)
            if change(plain) != plain and self.plain.affordable(sizes, needed=False):
                yield from self.plain.made(sizes, change)

    def _numbers_of_tiles(self) -> Iterator[Example]:
        """As many tiles as a number in what differs, and one element more: `min(count, 1024)`."""
        costly, made = _MOST_COSTLY, 0
        if _open_numbers(self):
            # Variations and larger sizes may have used up the calls.
            self.plain.calls_left = max(self.plain.calls_left, _MOST_SINGLED_OUT)
        for number, name in product(self.numbers.changed, self.plain.names):
            known = self.plain.best.get(name, 0)
            mentioned = {*self.plain.shown(name), *self.limits.blocks} - {1}
            for block in (b for b in sorted(mentioned) if self.plain.tried.is_tile(name, b, known)):
                for size in (number * block, number * block + 1):
                    sizes = {**self.plain.tried.base, name: size}
                    cheap = self.plain.affordable(sizes, needed=False)
                    bears = cheap or (costly and self.plain.fits(sizes))
                    if made < _MOST_SINGLED_OUT and bears:
                        costly, made = costly - (not cheap), made + 1
                        yield from self.plain.made(sizes)
        yield from self._beyond_limits(costly)

    def _beyond_limits(self, costly: int) -> Iterator[Example]:
        """One more than a limit, or than so many tiles of what is cut up as if it were one row.

        As long as a comparison with it has not come out both ways.
        """
        calls = [(n + 1, n, name) for n, name in product(_open_numbers(self), self.plain.names)]
        numbers = dict.fromkeys((*self.numbers.changed, *self.numbers.limits))
        turns = product(numbers, self.limits.blocks, self.plain.names[-1:])
        calls += [(n * block + 1, n, name) for n, block, name in turns]
        for size, number, name in sorted(calls)[:_MOST_SINGLED_OUT]:
            if not (open_numbers := _open_numbers(self)):
                return
            sizes = {**dict.fromkeys(self.plain.names, 1), name: size}
            needed = number in open_numbers
            cheap = self.plain.affordable(sizes, needed=needed)
            if cheap or (costly and needed and self.plain.bearable(sizes)):
                costly -= not cheap
                yield from self.plain.made(sizes)

    def _combinations(
        self, sizes: Mapping[str, int], pairs: Sequence[tuple[Change, Change]]
    ) -> Iterator[Example]:
        """Changes two by two, as long as something has not run; on few elements where they cost."""
        for pair in pairs:
            if not self.unmet():
                return
            costly = any(self.plain.costs(sizes, change) for change in pair)
            yield from self.plain.made(self.plain.tried.base if costly else sizes, in_turn(*pair))


def _narrow(of: Aiming) -> Iterator[Change]:
    """Floats of the narrowest type, of which sums are large."""
    types = other_types(of.signature, of.limits, given=of.given)
    within = of.signature if of.given else None
    for dtype in [dtype for dtype in types if dtype != "f64"][-1:]:
        for values in (OFFSET, CONSTANT):
            yield in_turn(partial(typed, dtype=dtype, within=within), of_values(values))


def _limits_met(calls: SizedCalls, seen: Seen) -> list[float]:
    """Numbers that floats were compared with in more than one plain call, whatever it holds.

    Of numbers that are computed from arguments (`x > 2 * limit`) the text alone shows none.
    """
    runs = [both for e, (_, change) in calls.made().items() if change is same and (both := seen(e))]
    counts = Counter(n for ours, theirs in runs for n in ours.limits | theirs.limits)
    return [n for n, count in counts.most_common() if count >= min(2, len(runs))]


def _classes(
    signature: Signature, numbers: Numbers, compared: Sequence[float]
) -> tuple[Change, ...]:
    """Changes of the values alone; `compared` is what floats may be compared with."""
    at_them = partial(at_numbers, numbers=compared)
    found: tuple[Change, ...] = (*FIRST_CLASSES, at_them, *MORE_CLASSES, *beyond(numbers.large))
    found += tuple(of_values(f"{UP_TO}{n:g}") for n in numbers.scales[:_MOST_HELD])
    if numbers.infinite:
        found += (partial(Example.plain, values=NONFINITE, dtypes={}),)
    if numbers.whole_types:
        found += (partial(of_whole_types, signature=signature),)
    return found


def _open_numbers(aiming: Aiming) -> list[int]:
    """With which no comparison, or no limit, has come out both ways so far."""
    return open_numbers(aiming.demands, map(aiming.seen, aiming.sized_calls.made()))
