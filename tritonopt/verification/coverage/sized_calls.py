"""Calls made from sizes, of which the sizes can be changed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import combinations, product

from tritonopt.verification.coverage.demands import NUMBERS, Demand
from tritonopt.verification.coverage.text_differences import LARGE
from tritonopt.verification.inputs.examples import (
    AND,
    BEYOND,
    FALLING,
    FAR_BELOW,
    HALVES,
    MANY_NANS,
    NAN,
    ONLY,
    RISING,
    ROWS,
    ZEROS,
    Example,
    Limits,
    PlainValue,
    TensorRecipe,
    sized,
)
from tritonopt.verification.process.messages import Both, Coverage, Loop
from tritonopt.verification.signature.argument_language import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    ChoiceArgument,
    RangeArgument,
    Signature,
    TensorArgument,
)

# Which of the calls so far run what differs, or come near, where a plain one does not.

Seen = Callable[[Example], Both | None]
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
    asked = (d for d in demands if d.kind in ("line", "true", "false", "turns"))
    return {d for d in asked if d.met_by(both[d.side])}


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
    return set() if both is None else {(d.title, d.within) for d in unmet if d.entered(both)}


def open_numbers(demands: Iterable[Demand], runs: Iterable[Both | None]) -> list[int]:
    """Numbers of which no comparison, limit or other expression has come out both ways."""
    seen = [both for both in runs if both]
    together = [reduce(Coverage.merged, each) for each in zip(*seen, strict=True)]
    asked = (d for d in demands if d.kind in NUMBERS or d.is_far)
    never = (d for d in asked if not seen or not d.met_by(together[d.side]))
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
        largest = 0
        for name in self.governed.get((demand.title, demand.line), ()):
            for size in (*self.odd.get(name, ()), self.explored.get(name, 0)):
                found = self.of({**self.base, name: size})
                turns = found[demand.side].loops.get(demand.line, Loop()).turns if found else 0
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
        if not self.governs(demand):
            # No size has a part in how often it turns, as far as each could be changed.
            return self.weighed >= set(self.base)
        for name in self.governed[demand.title, demand.line]:
            for size in self.odd.get(name, ()):
                found = self.of({**self.base, name: size})
                if not found or found[demand.side].loops.get(demand.line, Loop()).turns >= 2:
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


# Changes of a call that leave its sizes alone: arguments, types, classes of values.

_MOST_VALUES = 4
WHOLE = ("i32", "i64", "i16", "i8", "u8")
"""Types for what only whole numbers come to; an original that does not take them loses a call."""
_MOST_NUMBERS = 12
_MOST_LARGE = 2
_LARGEST_LIMIT = 2**17
"""What is made as long as a number in a tensor says is no longer than this."""
_MOST_FLOATS = 2
_MOST_TENSORS = 4
_MOST_LONG = 2
_LONG_SUM = 1601
"""So many products of int8 are more than float32 counts, and no multiple of a tile."""
_NARROW = ("i8", "u8", "i16")
_RANGES = {
    "i64": (-(2**40), 2**40),
    **{f"i{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (32, 16, 8)},
    "u8": (0, 255),
}


def other_types(signature: Signature, limits: Limits, *, given: bool) -> list[str]:
    """Other types of floats than the first; where types were inferred, float64 as well if several
    are taken."""
    taken = {d for t in signature.tensors for d in t.dtypes if d in FLOATS}
    known = list(dict.fromkeys(d for t in signature.tensors for d in t.dtypes[1:]))
    known += ["f64"] if len(taken) > 1 and not given else []
    known = [d for d in dict.fromkeys(known) if d in limits.dtypes]
    return [d for d in known if d in (*FLOATS, COMPLEX)]


def other_values(signature: Signature) -> list[Mapping[str, object]]:
    """One argument each with another value than the first, left out, or a number for a tensor."""
    found: list[Mapping[str, object]] = []
    for argument in signature.arguments:
        if isinstance(argument, ChoiceArgument):
            found += [{argument.name: v} for v in argument.values[1 : 1 + _MOST_VALUES]]
        elif isinstance(argument, RangeArgument) and argument.high > argument.low:
            found.append({argument.name: argument.high})
        elif isinstance(argument, TensorArgument):
            found += [{argument.name: v} for v in argument.instead[:_MOST_VALUES]]
    return found


def around(signature: Signature, numbers: Sequence[float]) -> Iterator[Change]:
    """Floats that are arguments below, at and above numbers; below 1, where the number is."""
    floats = [
        argument.name
        for argument in signature.arguments
        if isinstance(argument, ChoiceArgument) and any(type(v) is float for v in argument.values)
    ]
    for name, number in product(floats[:_MOST_FLOATS], numbers[:_MOST_FLOATS]):
        above = (1 + number) / 2 if number < 1 else 2 * number
        for value in (above, number / 2, number):
            yield partial(with_values, values={name: value})


def of_values(values: str) -> Change:
    """The same call with values of one class in every tensor."""

    def changed(example: Example) -> Example:
        return example.with_tensors(lambda n, r: replace(r, values=values) if r.is_float else r)

    return changed


def at_the_highest(example: Example) -> Example:
    """The same call with the highest number everywhere in tensors of whole numbers."""
    return example.with_tensors(lambda n, r: r if r.is_float or r.kind else replace(r, low=r.high))


def in_turn(first: Change, second: Change) -> Change:
    return lambda example: second(first(example))


NOTHING = f"{ONLY}0"
FIRST_CLASSES: tuple[Change, ...] = (
    partial(Example.plain, values=FAR_BELOW, dtypes={}),
    *map(of_values, (RISING, FALLING, ZEROS, NOTHING)),
)
"""Of values, for calls that take long as well."""
MORE_CLASSES: tuple[Change, ...] = (
    *(partial(Example.plain, values=k, dtypes={}) for k in (NAN, MANY_NANS)),
    # In all tensors, some of them in the same places: values that are equal, and NaN.
    *map(of_values, (HALVES, MANY_NANS)),
)


def at_numbers(example: Example, numbers: Sequence[float]) -> Example:
    """The same call with numbers among the floats that they may be compared with."""
    given = [r.value for _, r in example.arguments if isinstance(r, PlainValue)]
    found = [*numbers, *(v for v in given if type(v) is float)]
    found = [n for n in dict.fromkeys(map(float, found)) if n and abs(n) < LARGE]
    text = ", ".join(f"{n:.9g}" for n in found[:_MOST_NUMBERS])
    return of_values(AND + text)(example) if found else example


def beyond(numbers: Sequence[float]) -> list[Change]:
    """Calls with nothing but values beyond a number that may stand for inf, of either sign."""
    return [of_values(f"{BEYOND}{sign * n:g}") for n in numbers[:_MOST_LARGE] for sign in (-1, 1)]


def of_whole_types(example: Example, signature: Signature) -> Example:
    """The same call with numbers as large as the widest types, where they have no bounds."""

    def changed(name: str, recipe: TensorRecipe) -> TensorRecipe:
        form = signature.tensor(name)
        if recipe.dtype not in INTEGERS or form.high is not None or recipe.kind:
            return recipe
        widest = next((dtype for dtype in _RANGES if dtype in form.dtypes), recipe.dtype)
        low, high = _RANGES[widest]
        return replace(recipe, dtype=widest, low=low, high=high)

    return example.with_tensors(changed)


def meeting(signature: Signature) -> Iterator[Change]:
    """A number among the arguments that is found in tensors: rows with an index to be ignored."""
    tensors = [t for t in signature.tensors if t.dtypes[0] in INTEGERS]
    for argument in signature.arguments if tensors else ():
        for value in argument.values if isinstance(argument, ChoiceArgument) else ():
            if type(value) is int and value >= 0:
                chosen = partial(with_values, values={argument.name: value})
                yield in_turn(chosen, partial(of_one_number, number=value))
                yield in_turn(chosen, partial(of_few_numbers, number=value))


def at_the_ends(
    signature: Signature, sizes: Mapping[str, int], base: Mapping[str, int], governed: Set[str]
) -> Iterator[tuple[Mapping[str, int], Change]]:
    """Sizes and changes: everything in one place, of many rows too; the largest whole numbers.

    Of these long sums of their products as well, along sizes by which loops are `governed`.
    """
    places = [t for t in signature.tensors if t.dtypes[0] in INTEGERS and t.high is not None]
    rows = {d for tensor in places for d in tensor.shape}
    many = {n: ROWS if n in rows else size for n, size in base.items()}
    for change in skewed(signature):
        yield from ((these, change) for these in (sizes, many))
    for change in extreme(signature):
        yield sizes, change
        for name in [n for n in base if n in governed][:_MOST_LONG]:
            yield {**dict.fromkeys(base, 2), name: _LONG_SUM}, change


def extreme(signature: Signature) -> Iterator[Change]:
    """The largest numbers and the smallest of narrow types, everywhere, where they have no bounds:
    their products are counted in wider types, and add up to what some of these do not hold."""
    narrow = {
        t.name: _RANGES[t.dtypes[0]]
        for t in signature.tensors
        if t.dtypes[0] in _NARROW and t.high is None and not t.kind
    }
    for end in (1, 0) if narrow else ():
        yield partial(_of_ends, ends={name: ends[end] for name, ends in narrow.items()})


def bounded(example: Example, of: Callable[[str, TensorRecipe], tuple[int, int] | None]) -> Example:
    """The same call with whole numbers in other bounds, in those tensors that get some."""

    def changed(name: str, recipe: TensorRecipe) -> TensorRecipe:
        found = of(name, recipe)
        return recipe if found is None else replace(recipe, low=found[0], high=found[1])

    return example.with_tensors(changed)


def _of_ends(example: Example, ends: Mapping[str, int]) -> Example:
    def of(name: str, recipe: TensorRecipe) -> tuple[int, int] | None:
        low, high = _RANGES.get(recipe.dtype, (0, -1))
        number = ends.get(name)
        fits = number is not None and recipe.dtype in _NARROW and low <= number <= high
        return (number, number) if number is not None and fits else None

    return bounded(example, of)


def skewed(signature: Signature) -> Iterator[Change]:
    """One number everywhere in tensors that say where something goes: the first, or the last."""
    routed = [t.name for t in signature.tensors if t.dtypes[0] in INTEGERS and t.high is not None]
    for last in (False, True) if routed else ():
        yield partial(_of_one_place, names=routed, last=last)


def _of_one_place(example: Example, names: Sequence[str], last: bool) -> Example:
    def of(name: str, recipe: TensorRecipe) -> tuple[int, int] | None:
        number = recipe.high if last else recipe.low
        return (number, number) if name in names and not recipe.kind else None

    return bounded(example, of)


def left_free(signature: Signature) -> Iterator[Change]:
    """-1 in the place of every number of one tensor: what is to be left out has no index."""
    for tensor in [t for t in signature.tensors if t.dtypes[0] in INTEGERS][:_MOST_TENSORS]:
        yield partial(_of_minus_one, name=tensor.name)


def _of_minus_one(example: Example, name: str) -> Example:
    return example.with_tensors(
        lambda n, r: replace(r, low=-1, high=-1, kind="") if n == name else r
    )


def above(signature: Signature, limits: Sequence[int]) -> Iterator[Change]:
    """Whole numbers that have no bound above what a file compares with: a table that grows."""
    free = [t.name for t in signature.tensors if t.dtypes[0] in INTEGERS and t.high is None]
    free = [name for name in free if not signature.tensor(name).kind]
    known = [n for n in limits if 2 < n <= _LARGEST_LIMIT]
    for number in sorted(known, reverse=True)[: _MOST_LARGE if free else 0]:
        yield partial(_of_number_in, names=free, number=number + 1)


def _of_number_in(example: Example, names: Sequence[str], number: int) -> Example:
    def of(name: str, recipe: TensorRecipe) -> tuple[int, int] | None:
        fits = name in names and recipe.dtype in _RANGES and number <= _RANGES[recipe.dtype][1]
        return (number, number) if fits else None

    return bounded(example, of)


def of_one_number(example: Example, number: int) -> Example:
    """The same call with this number everywhere in the tensors that may hold it."""
    return bounded(example, lambda _, r: (number, number) if _may_hold(r, number) else None)


def of_few_numbers(example: Example, number: int) -> Example:
    """The same call with this number and others beside it in the tensors that may hold it."""

    def of(_: str, recipe: TensorRecipe) -> tuple[int, int] | None:
        low = max(recipe.low, number - 1)
        return (low, min(low + 1, recipe.high)) if _may_hold(recipe, number) else None

    return bounded(example, of)


def _may_hold(recipe: TensorRecipe, number: int) -> bool:
    whole = recipe.dtype in INTEGERS and not recipe.kind
    return whole and recipe.low <= number <= recipe.high


def typed(example: Example, dtype: str, within: Signature | None = None) -> Example:
    """The same call with floats of another type; with a signature only where it allows that."""

    def changed(name: str, recipe: TensorRecipe) -> TensorRecipe:
        allowed = within is None or dtype in within.tensor(name).dtypes
        return replace(recipe, dtype=dtype) if recipe.is_float and allowed else recipe

    return example.with_tensors(changed)


def one_narrower(signature: Signature, limits: Limits) -> Iterator[Change]:
    """One tensor of a narrower type than the others: what is kept in it is rounded."""
    floats = [t for t in signature.tensors if t.dtypes[0] in FLOATS and not signature.one_type]
    for tensor in floats[:_MOST_TENSORS] if len(floats) > 1 else ():
        narrow = [d for d in ("f16", "bf16") if d in tensor.dtypes[1:] and d in limits.dtypes]
        if narrow:
            yield partial(_of_type, name=tensor.name, dtype=narrow[0])


def _of_type(example: Example, name: str, dtype: str) -> Example:
    return example.with_tensors(lambda n, r: replace(r, dtype=dtype) if n == name else r)


def with_values(example: Example, values: Mapping[str, object]) -> Example:
    arguments = tuple(
        (n, PlainValue(values[n]) if n in values else r) for n, r in example.arguments
    )
    return replace(example, arguments=arguments)


def pairs_of_changes(
    signature: Signature, limits: Limits, *, given: bool
) -> list[tuple[Change, Change]]:
    """Two arguments with other values, or one and another type: what comes first of each."""
    found: dict[str, list[Change]] = {}
    for values in other_values(signature):
        for name in values:
            found.setdefault(name, []).append(partial(with_values, values=values))
    types = other_types(signature, limits, given=given)
    # What floats run together with another value says little of what whole numbers do.
    types = types if given else [WHOLE[0], *types, *WHOLE[1:]]
    within = signature if given else None
    found["type"] = [partial(typed, dtype=dtype, within=within) for dtype in types]
    places = (
        (at + beside, (one, other))
        for first, second in combinations(found.values(), 2)
        for (at, one), (beside, other) in product(enumerate(first), enumerate(second))
    )
    return [pair for _, pair in sorted(places, key=lambda place: place[0])]
