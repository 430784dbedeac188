"""Calls that are made to reach what must have run: sizes by what loops and grids make of them.

One size after the other is changed, and what loops and grids do then says which of them it
governs, and in tiles of what. It then gets two tiles and a rest, one tile, and one element more
and less, while the others stay small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, product

from tritonopt.verification.coverage.demands import LOOPS, Demand
from tritonopt.verification.coverage.reaching import Seen, reaching
from tritonopt.verification.coverage.sized_calls import Change, SizedCalls, same
from tritonopt.verification.coverage.text_sizes import Numbers
from tritonopt.verification.coverage.tried_sizes import TriedSizes
from tritonopt.verification.inputs.edge_cases import ROWS, named_sizes, sized
from tritonopt.verification.inputs.examples import (
    FAR_BELOW,
    HALVES,
    MANY_NANS,
    NAN,
    ZEROS,
    Example,
    Limits,
    PlainValue,
    TensorRecipe,
)
from tritonopt.verification.process.coverage_data import Coverage, Loop
from tritonopt.verification.signature.argument_language import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    ChoiceArgument,
    RangeArgument,
    Signature,
    TensorArgument,
)

_SMALL = 5
_STEP = 4
"""So much larger than a small size at least is one that may show what it bears on."""
_MOST_WORK = 6_000
"""Statements of kernels that one call may execute: about half a second of the interpreter."""
_ALL_WORK = 30_000
"""The same for all calls but those without which something would not have run."""
_MOST_ELEMENTS = 2**21
_MANY_ELEMENTS = 2**17
"""More than that are not drawn again and again."""
_MOST_CALLS = 80
_MOST_SINGLED_OUT = 24
_LARGE_BLOCK = 2**16
"""Where launchers stop to make blocks as long as what they hold."""
_MOST_VALUES = 4
_LIMITS = (2**12, 2**14, 2**15, 2**16)
"""Where launchers like to take another kernel, or a loop for one tile."""
_MOST_COSTLY = 2
"""So many calls may take long that are made to come beyond what a test compares with."""
_PROGRAMS = (17, 65)
"""More than 8 for each multiprocessor of the device that the interpreter stands for, and than 32.
"""
_ROUND = (16, 64, 128)
"""Sizes for launchers that take no odd ones."""


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

    sized_calls: SizedCalls = field(init=False)
    """Every call that was made."""
    work: int = 0
    calls: int = 0
    _slopes: dict[str, float] = field(default_factory=dict)
    _best: dict[str, int] = field(default_factory=dict)
    tried: TriedSizes = field(init=False)

    def __post_init__(self) -> None:
        self.sized_calls = SizedCalls(self.signature, self.limits)
        self.tried = TriedSizes(self._of)

    def examples(self) -> Iterator[Example]:
        """Every call; ends where its budget does."""
        names = named_sizes(self.signature)
        yield from self._begin(names)
        if not self.tried.base and names:
            return
        odd = all(size == _SMALL for size in self.tried.base.values())
        for name in names:
            yield from self._explore(name, ROWS if odd else 2 * self.tried.base[name])
        for name in names:
            yield from self._tiles(name, odd=odd)
        yield from self._many_tiles(names)
        yield from self._all_larger(names)
        rich = self._rich()
        yield from self._variations(rich)
        yield from self._beyond(names)
        yield from self._where_it_runs(names, rich)
        yield from self._numbers(names, self.tried.base, same, _MOST_SINGLED_OUT)
        yield from self._combinations(rich)

    def _try(
        self, sizes: Mapping[str, int], change: Change = same, *, needed: bool = False
    ) -> Iterator[Example]:
        if self._affordable(sizes, needed=needed):
            for name in sizes.keys() & self.tried.base.keys() if change is same else ():
                if sizes[name] % 2 and sizes[name] != self.tried.base[name]:
                    self.tried.odd.setdefault(name, []).append(sizes[name])
            yield from self._made(sizes, change)

    def _made(self, sizes: Mapping[str, int], change: Change = same) -> Iterator[Example]:
        if self.calls >= _MOST_CALLS:
            return
        self.calls += 1
        example = self.sized_calls.make(sizes, change)
        yield example
        found = self.seen(example)
        if found is not None:
            self.work += sum(c.work for c in found)

    def _affordable(self, sizes: Mapping[str, int], *, needed: bool) -> bool:
        expected = sum(
            self._slopes.get(name, 0.0) * (size - self.tried.base.get(name, size))
            for name, size in sizes.items()
        )
        elements = self.sized_calls.elements(sizes)
        within = self.work + expected <= _ALL_WORK
        return expected <= _MOST_WORK and elements <= _MOST_ELEMENTS and (needed or within)

    # What a size bears on

    def _begin(self, names: list[str]) -> Iterator[Example]:
        """A small call that the original takes, to change the others from."""
        powers = {n: (4, 8, 16, 32)[i % 4] for i, n in enumerate(names)}
        patterns = [dict.fromkeys(names, n) for n in (_SMALL, *_ROUND)]
        patterns.insert(1, powers)
        for sizes in patterns:
            yield from self._made(sizes)
            if self._of(sizes):
                self.tried.base, self._best = sizes, dict(sizes)
                return

    def _explore(self, name: str, size: int) -> Iterator[Example]:
        """One size alone larger: what loops do then, and what it costs."""
        sizes = {**self.tried.base, name: size}
        yield from self._try(sizes, needed=True)
        while not self._of(sizes) and size > self.tried.base[name] + _STEP:
            # Not so large, where nothing is written for a large one.
            size = (size + self.tried.base[name]) // 4 * 2 + 1
            sizes = {**self.tried.base, name: size}
            yield from self._try(sizes, needed=True)
        self.tried.explored[name] = size
        before, after = (
            self.seen(sized(self.signature, self.limits, s)) for s in (self.tried.base, sizes)
        )
        if before is None or after is None:
            return
        self.tried.weighed.add(name)
        growth = sum(c.work for c in after) - sum(c.work for c in before)
        self._slopes[name] = max(growth, 0) / max(size - self.tried.base[name], 1)
        for title, old, new in zip(("original", "rewritten"), before, after, strict=True):
            for line, loop in new.loops.items():
                known = old.loops.get(line, Loop())
                if (known.bounds, known.turns) != (loop.bounds, loop.turns):
                    self.tried.governed.setdefault((title, line), set()).add(name)

    # Tiles

    def _tiles(self, name: str, *, odd: bool) -> Iterator[Example]:
        """Two tiles and a rest, then around one tile."""
        if not self._wanting(name) and self._is_tile(name, 1):
            # One program for each: more of them show nothing more.
            return
        done: int | None = None
        for block in self._blocks(name):
            if done is None or self._wanting(name):
                for size in (2 * block + 3, 2 * block):
                    sizes = {**self.tried.base, name: size}
                    yield from self._try(sizes, needed=True)
                    if self._of(sizes):
                        self._best[name] = size
                        break
                done = block
            if not self._wanting(name):
                break
        if done is not None and odd:
            for size in (done + 1, done, done - 1):
                yield from self._try({**self.tried.base, name: size})

    def _many_tiles(self, names: list[str]) -> Iterator[Example]:
        """More tiles than a launcher starts programs that takes some for each multiprocessor."""
        for count, name in product(_PROGRAMS, names):
            if not any(d.kind == "turns" for d in self.unmet()):
                return
            size = max(self._best[name], self.tried.explored[name])
            shown = sorted({1, *self._shown(name)})
            for block in [b for b in shown if self._is_tile(name, b, size)][-1:]:
                yield from self._try({**self.tried.base, name: count * block + 3}, needed=True)

    def _all_larger(self, names: list[str]) -> Iterator[Example]:
        """Every size beyond a tile at once, where the shortest of them says how many there are."""
        shown = sorted({b for name in names for b in self._shown(name) if b > 1})
        for block in shown[:_MOST_COSTLY]:
            if not any(d.kind == "programs" for d in self.unmet()):
                return
            sizes = dict.fromkeys(names, block + 3)
            if len(names) > 1 and self.sized_calls.elements(sizes) <= _MOST_ELEMENTS:
                yield from self._made(sizes)

    def _blocks(self, name: str) -> Iterator[int]:
        """How long a tile of this size may be: what the launches show, the likeliest first."""
        shown = {c for c in self._shown(name) if c > 1}
        known = [b for b in sorted(shown) if self._is_tile(name, b)]
        # Of tiles that hold both sizes seen so far, several of the largest are several of each.
        large = sorted((c for c in shown if c >= self.tried.explored[name]), reverse=True)
        tried: set[int] = set()
        for block in (
            *known[:1],
            *(large if not known else ()),
            *self.limits.blocks,
            *large,
            _LARGE_BLOCK,
        ):
            if block not in tried and (not tried or self._wanting(name)):
                tried.add(block)
                yield block
            # A block that grows with the size is another one by now.
            for grown in sorted(self._shown(name) - shown - tried):
                if self._wanting(name):
                    tried.add(grown)
                    yield grown

    def _shown(self, name: str) -> set[int]:
        """Constants of launches and steps of loops, where this size was changed."""
        found: set[int] = set()
        for size in {self._best[name], self.tried.explored[name], self.tried.base[name]}:
            for coverage in self._of({**self.tried.base, name: size}):
                found |= coverage.constants
                found |= {abs(loop.bounds[2]) for loop in coverage.loops.values() if loop.bounds}
        return {n for n in found if 0 < n < _MOST_ELEMENTS}

    def _of(self, sizes: Mapping[str, int]) -> tuple[Coverage, ...]:
        return self.seen(sized(self.signature, self.limits, sizes)) or ()

    def _is_tile(self, name: str, block: int, size: int = 0) -> bool:
        """Whether a grid or a loop has grown, up to a size, as the number of such tiles has."""
        size = size or self.tried.explored[name]
        tiles = tuple(-(-n // block) for n in (self.tried.base[name], size))
        if tiles[0] == tiles[1]:
            return False
        small, large = self._of(self.tried.base), self._of({**self.tried.base, name: size})
        return any(_grows(*pair, tiles) for pair in zip(small, large, strict=False))

    def _wanting(self, name: str) -> bool:
        """Whether a loop that this size bears on has not gone as far as it must."""
        wanted = {(d.title, d.line) for d in self.unmet() if d.kind in ("turns", "ragged")}
        return any(name in self.tried.governed.get(loop, ()) for loop in wanted)

    # Beyond sizes

    def _rich(self) -> dict[str, int]:
        """Two tiles of every size, as far as that can be afforded."""
        sizes = dict(self.tried.base)
        for name, size in sorted(self._best.items(), key=lambda item: item[1]):
            larger = {**sizes, name: size}
            few = self.sized_calls.elements(larger) < _MANY_ELEMENTS
            if few and self._affordable(larger, needed=True):
                sizes[name] = size
        return sizes

    def _variations(self, sizes: Mapping[str, int]) -> Iterator[Example]:
        """Every value of what has a few, tensors left out, and values that few rows have."""
        yield from self._made(sizes)
        for values in _changes(self.signature):
            yield from self._made(sizes, partial(_changed, values=values))
        for dtype in _types(self.signature, self.limits):
            yield from self._made(sizes, partial(_typed, dtype=dtype))
        for change in _VALUES:
            yield from self._made(sizes, change)
        for change in _meeting(self.signature) if self.unmet() else ():
            yield from self._made(sizes, change)

    def _where_it_runs(self, names: list[str], rich: Mapping[str, int]) -> Iterator[Example]:
        """Values and numbers on top of what it takes to run what differs, if that is more."""
        made = self.sized_calls.made()
        usual = self.tried.base, rich
        plain = [e for e, (sizes, change) in made.items() if change is same and sizes in usual]
        for example in reaching(list(made), plain, self.demands, self.seen):
            sizes, change = made[example]
            for values in _VALUES:
                yield from self._made(sizes, _after(change, values))
            yield from self._numbers(names, sizes, change, _MOST_SINGLED_OUT // 2)

    def _numbers(
        self, names: list[str], base: Mapping[str, int], change: Change, most: int
    ) -> Iterator[Example]:
        """What the text singles out, for each size, and for the product of all."""
        made = 0
        for size in self.numbers.singled_out:
            together = {**dict.fromkeys(names, 1), names[-1]: size}
            if len(names) > 1 and made < most and self._affordable(together, needed=False):
                yield from self._made(together, change)
            for name in names[: most - made]:
                made += 1
                sizes = {**base, name: size}
                if self._affordable(sizes, needed=False):
                    yield from self._try(sizes, change)
                else:
                    yield from self._alone(names, name, size)

    def _alone(self, names: list[str], name: str, size: int) -> Iterator[Example]:
        """A size while all others are 1, which costs little even for a loop inside of others."""
        ones = dict.fromkeys(names, 1)
        few = {**ones, name: 2 * _SMALL}
        for sizes in (ones, few):
            if not self._of(sizes):
                yield from self._made(sizes)
        before, after = (sum(c.work for c in self._of(sizes)) for sizes in (ones, few))
        expected = after + (after - before) * size / (2 * _SMALL)
        if before and after and expected <= _MOST_WORK:
            yield from self._made({**ones, name: size})

    def _beyond(self, names: list[str]) -> Iterator[Example]:
        """Larger sizes, as long as something has not run.

        One more than what the tests of the files compare with, then than what those of others
        like to. What such a size costs is not known before: it may lead to another kernel.
        """
        costly = _MOST_COSTLY
        named = self.numbers.beyond(lanes=any(d.kind == "lanes" for d in self.unmet()))
        for size, name in product([*named, *(n for n in _LIMITS if n not in named)], names):
            unmet = self.unmet()
            # A tile that grows up to a number is what keeps a loop from a second turn.
            if not unmet or (size not in named and all(d.kind in LOOPS for d in unmet)):
                return
            sizes = {**self.tried.base, name: size + 1}
            if self.sized_calls.elements(sizes) > _MOST_ELEMENTS:
                sizes = {**dict.fromkeys(names, 1), name: size + 1}
            cheap = self._affordable(sizes, needed=True)
            fits = self.sized_calls.elements(sizes) <= _MOST_ELEMENTS
            if cheap or (costly and size in named and fits):
                costly -= not cheap
                yield from self._made(sizes)

    def _combinations(self, sizes: Mapping[str, int]) -> Iterator[Example]:
        """Changes two by two, as long as something has not run."""
        for one, other in combinations(_changes(self.signature), 2):
            if not self.unmet():
                return
            yield from self._made(sizes, partial(_changed, values={**one, **other}))


def _grows(before: Coverage, after: Coverage, counts: tuple[int, ...]) -> bool:
    """Whether a grid or a loop went from the one count to the other."""
    for (_, grid), (_, grown) in zip(before.grids, after.grids, strict=False):
        if counts in list(zip(grid, grown, strict=False)):
            return True
    turns = ((before.loops.get(n, Loop()).turns, loop.turns) for n, loop in after.loops.items())
    return any(pair == counts for pair in turns)


def _types(signature: Signature, limits: Limits) -> list[str]:
    """Other types of floats than the first; float64 where several are taken."""
    taken = {d for t in signature.tensors for d in t.dtypes if d in FLOATS}
    known = list(dict.fromkeys(d for t in signature.tensors for d in t.dtypes[1:]))
    known += ["f64"] if len(taken) > 1 else []
    known = [d for d in dict.fromkeys(known) if d in limits.dtypes]
    return [d for d in known if d in (*FLOATS, COMPLEX)]


def _changes(signature: Signature) -> list[Mapping[str, object]]:
    """One argument each with another value than the first, or left out."""
    found: list[Mapping[str, object]] = []
    for argument in signature.arguments:
        if isinstance(argument, ChoiceArgument):
            found += [{argument.name: v} for v in argument.values[1 : 1 + _MOST_VALUES]]
        elif isinstance(argument, RangeArgument) and argument.high > argument.low:
            found.append({argument.name: argument.high})
        elif isinstance(argument, TensorArgument) and argument.optional:
            found.append({argument.name: None})
    return found


def _with(values: str) -> Change:
    """The same call with values of one class in every tensor."""

    def changed(example: Example) -> Example:
        return example.with_tensors(lambda n, r: replace(r, values=values) if r.is_float else r)

    return changed


def _after(first: Change, second: Change) -> Change:
    return lambda example: second(first(example))


_VALUES: tuple[Change, ...] = (
    *(partial(Example.plain, values=k, dtypes={}) for k in (FAR_BELOW, NAN, MANY_NANS)),
    # In all tensors, some of them in the same places: zeros, and values that are equal.
    *map(_with, (ZEROS, HALVES)),
)


def _meeting(signature: Signature) -> Iterator[Change]:
    """A number among the arguments that is found in tensors: rows with an index to be ignored."""
    tensors = [t for t in signature.tensors if t.dtypes[0] in INTEGERS]
    for argument in signature.arguments if tensors else ():
        for value in argument.values if isinstance(argument, ChoiceArgument) else ():
            if type(value) is int and value >= 0:
                chosen = partial(_changed, values={argument.name: value})
                yield _after(chosen, partial(_of_one_number, number=value))


def _of_one_number(example: Example, number: int) -> Example:
    """The same call with this number everywhere in the tensors that may hold it."""

    def changed(name: str, recipe: TensorRecipe) -> TensorRecipe:
        fits = recipe.dtype in INTEGERS and not recipe.kind
        fits = fits and recipe.low <= number <= recipe.high
        return replace(recipe, low=number, high=number) if fits else recipe

    return example.with_tensors(changed)


def _typed(example: Example, dtype: str) -> Example:
    """The same call with floats of another type."""
    return example.with_tensors(lambda n, r: replace(r, dtype=dtype) if r.is_float else r)


def _changed(example: Example, values: Mapping[str, object]) -> Example:
    arguments = tuple(
        (n, PlainValue(values[n]) if n in values else r) for n, r in example.arguments
    )
    return replace(example, arguments=arguments)
