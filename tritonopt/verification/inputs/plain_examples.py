"""Calls made on purpose: sizes by a pattern or as given, and what draws hit too seldom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from tritonopt.verification.inputs.examples import (
    EXPANDED,
    EXPANDED_COLUMN,
    SPACED,
    ArgumentRecipe,
    Example,
    Limits,
    PlainValue,
    Repeat,
    Several,
    TensorRecipe,
)
from tritonopt.verification.signature.argument_language import (
    Argument,
    ChoiceArgument,
    Dimension,
    RangeArgument,
    SameArgument,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
)
from tritonopt.verification.signature.size_facts import fitted, value_of


def rising(at: int, count: int) -> int:
    return 3 + 2 * at if count <= 3 else 2 + at


def _falling(at: int, count: int) -> int:
    return rising(count - 1 - at, count)


def powers(at: int, count: int) -> int:
    if count <= 4:
        return (4, 8, 16)[at] if count < 4 else (2, 4, 8, 16)[at]
    return (2, 4)[at % 2]


def _equal(at: int, count: int) -> int:
    return 16 if count <= 3 else 4


def mixed(at: int, count: int) -> int:
    """No power of two, and none that the others have."""
    return (12, 11, 14, 6, 10, 13)[at % 6]


LEADING = 6
"""The size that `...` stands for: none that a pattern gives to a few names."""


Pattern = Callable[[int, int], int]
"""The size of a dimension, from its place among the names and their number."""


PATTERNS: tuple[Pattern, ...] = (rising, _falling, _equal, powers)


def plain_example(signature: Signature, pattern: Pattern, backward: bool = False) -> Example:
    """One small call: sizes from the pattern in the order of their names, ordinary values."""
    sizes = sizes_of(signature, pattern)
    return replace(sized_example(signature, sizes), backward=backward)


def sizes_of(signature: Signature, pattern: Pattern) -> dict[str, int]:
    order = signature.size_names
    sizes = {name: pattern(i, len(order)) for i, name in enumerate(order)}
    return fitted(signature.facts, sizes)


def sized_example(signature: Signature, sizes: Mapping[str, int]) -> Example:
    """One call with these sizes, or the nearest that the facts allow, and ordinary values."""
    sizes = fitted(signature.facts, sizes)
    recipes = tuple((a.name, _recipe(a, at, sizes)) for at, a in enumerate(signature.arguments))
    return Example(recipes)


def of_one_index(signature: Signature, name: str, backward: bool) -> tuple[Example, list[Example]]:
    """A plain call with one number everywhere in a tensor, and calls with several in it."""
    plain = [plain_example(signature, pattern, backward) for pattern in PATTERNS]

    def changed(example: Example, change: Callable[[TensorRecipe], TensorRecipe]) -> Example:
        return example.with_tensors(lambda n, r: change(r) if n == name else r)

    one = changed(plain[0], lambda r: replace(r, high=r.low))
    return one, [*plain, *(changed(e, lambda r: replace(r, seed=r.seed + 100)) for e in plain)]


def usable_dtypes(argument: TensorArgument, limits: Limits) -> tuple[str, ...]:
    return tuple(d for d in argument.dtypes if d in limits.dtypes)


def small_example(signature: Signature, *, backward: bool) -> Example:
    """A small call with sizes that most launchers take."""
    return plain_example(signature, powers, backward)


def _recipe(argument: Argument, at: int, sizes: Mapping[str, int]) -> ArgumentRecipe:
    def size(dimension: Dimension) -> int:
        if isinstance(dimension, int):
            return dimension
        return sizes[dimension] if dimension in sizes else value_of(dimension, sizes)

    if isinstance(argument, SequenceArgument):
        forms = (*argument.parts, *argument.parts[-1:] * argument.more)
        parts = (_recipe(form, at + i, sizes) for i, form in enumerate(forms))
        return Several(tuple(p for p in parts if isinstance(p, TensorRecipe)), argument.as_tuple)
    if isinstance(argument, TensorArgument):
        shape = tuple(LEADING if d == "..." else size(d) for d in argument.shape)
        low, high = argument.low, argument.high
        first = size(low)
        last = 9 if high is None else size(high)
        last -= isinstance(high, str) and argument.kind != "cumulative"
        return TensorRecipe(
            argument.dtypes[0],
            shape,
            seed=at,
            low=first,
            high=max(first, last),
            kind=argument.kind,
        )
    if isinstance(argument, SameArgument):
        return Repeat(argument.of)
    if isinstance(argument, RangeArgument):
        return PlainValue(argument.low)
    if isinstance(argument, ChoiceArgument):
        return PlainValue(argument.values[0])
    if not isinstance(argument, SizeArgument):
        raise TypeError(f"`{argument}` is computed in a launcher, not drawn")
    found = tuple(size(d) for d in argument.sizes)
    return PlainValue(found if argument.as_tuple else found[0])


# Calls that are made on purpose: what draws hit too seldom, and where rewrites go wrong.
#
# All are small and ordinary but for the one thing that each is made for.

ROWS = 37
"""More programs than a launcher starts that takes the GPU's multiprocessors for their number."""
_USUAL = 5
_PLAIN = 4
_MOST_PROGRAMS = 300


def edge_cases(signature: Signature, limits: Limits) -> Iterator[Example]:
    """Sizes and plain values, what is likeliest to be got wrong first."""
    names = signature.size_names
    columns = {shape[-1] for shape in signature.shapes}
    rows = [n for n in names if n not in columns]
    if rows:
        yield sized(signature, limits, {rows[0]: ROWS})
    yield from _zeros(signature, limits)
    for size in (0, 1, 2):
        for name in names:
            yield sized(signature, limits, {name: size})
    if len(names) > 1:
        yield usual(signature, limits)
    counts = [n + 1 for n in limits.counts if ROWS <= n <= _MOST_PROGRAMS]
    if rows and counts:
        yield sized(signature, limits, {rows[0]: max(counts)})


def usual(signature: Signature, limits: Limits) -> Example:
    """The small ordinary call that the others are changed from."""
    return sized(signature, limits, {})


def plain_calls(signature: Signature, limits: Limits, *, backward: bool) -> tuple[Example, ...]:
    """What every launcher is made for: all sizes equal and round, one tile and several."""
    rank = max((len(shape) for shape in signature.shapes), default=1)
    most = int(limits.elements ** (1 / max(rank, 1)))
    several = min(2 * max(limits.blocks, default=16), 2 ** (most.bit_length() - 1))
    calls = (
        sized(signature, limits, dict.fromkeys(signature.size_names, size))
        for size in (_PLAIN, several)
    )
    return tuple(replace(call, backward=backward) for call in dict.fromkeys(calls))


def laid_out(signature: Signature, limits: Limits, *, flags: bool = False) -> Iterator[Example]:
    """Layouts that not every launcher is made for, one tensor at a time.

    With `flags` the last values of all arguments, where there are others than the first: a tensor
    that only a flag makes use of shows nothing otherwise.
    """
    plain = usual(signature, limits)
    if flags:
        last = {
            a.name: PlainValue(a.values[-1] if isinstance(a, ChoiceArgument) else a.high)
            for a in signature.arguments
            if isinstance(a, (ChoiceArgument, RangeArgument))
        }
        given = tuple((name, last.get(name, recipe)) for name, recipe in plain.arguments)
        if given == plain.arguments:
            return
        plain = replace(plain, arguments=given)
    for tensor in signature.tensors:
        recipe = plain.tensors.get(tensor.name)
        if recipe is None or not tensor.strided or not recipe.shape:
            continue
        if len(recipe.shape) > 1:
            yield _with(plain, tensor.name, replace(recipe, layout=EXPANDED))
            if not tensor.rows_only:
                yield _with(plain, tensor.name, replace(recipe, layout=EXPANDED_COLUMN))
        if len(recipe.shape) == 1 or not tensor.rows_only:
            yield _with(plain, tensor.name, replace(recipe, layout=SPACED))


def aliased(example: Example) -> Iterator[tuple[Example, Example]]:
    """Two tensors of one form: with the same values, and as one tensor passed twice."""
    whole = [(n, r) for n, r in example.arguments if isinstance(r, TensorRecipe)]
    for (one, recipe), (other, second) in combinations(whole, 2):
        if (recipe.dtype, recipe.shape) != (second.dtype, second.shape) or not recipe.elements:
            continue
        plain = replace(recipe, layout="contiguous", misaligned=False)
        apart = _with(_with(example, one, plain), other, plain)
        arguments = ((n, Repeat(one) if n == other else r) for n, r in apart.arguments)
        yield apart, replace(apart, arguments=tuple(arguments))


def _with(example: Example, name: str, recipe: TensorRecipe) -> Example:
    return example.with_tensors(lambda n, r: recipe if n == name else r)


def sized(signature: Signature, limits: Limits, sizes: Mapping[str, int]) -> Example:
    """One plain call with these sizes, and small ones for the rest."""

    def usable(tensor: TensorArgument) -> TensorArgument:
        return replace(tensor, dtypes=usable_dtypes(tensor, limits))

    def of(argument: Argument) -> Argument:
        if isinstance(argument, SequenceArgument):
            return argument.with_parts(usable)
        return usable(argument) if isinstance(argument, TensorArgument) else argument

    wanted = dict.fromkeys(signature.size_names, _USUAL) | dict(sizes)
    arguments = tuple(map(of, _told_apart(signature.arguments)))
    return sized_example(replace(signature, arguments=arguments), wanted)


def _told_apart(arguments: Iterable[Argument]) -> Iterator[Argument]:
    """Numbers that are free to be anything begin with another one each.

    Between two equal limits there is one number, and whatever is wrong with the rest is lost.
    """
    seen: Counter[tuple[object, ...]] = Counter()
    for argument in arguments:
        if isinstance(argument, ChoiceArgument) and all(type(v) is float for v in argument.values):
            turned = seen[argument.values] % len(argument.values)
            seen[argument.values] += 1
            yield replace(argument, values=argument.values[turned:] + argument.values[:turned])
        else:
            yield argument


def _may_be_a_fraction(argument: ChoiceArgument) -> bool:
    first = next((v for v in argument.values if v is not None), None)
    return type(first) is float


def _zeros(signature: Signature, limits: Limits) -> Iterator[Example]:
    """0 for a number that is a fraction: `eps`, a slope, a probability, a scale.

    On ordinary values only: rows that are constant have no variance for `eps` to guard.
    """
    plain = usual(signature, limits)
    for argument in signature.arguments:
        if isinstance(argument, ChoiceArgument) and _may_be_a_fraction(argument):
            arguments = tuple(
                (n, PlainValue(0.0) if n == argument.name else r) for n, r in plain.arguments
            )
            yield replace(plain, arguments=arguments)
