"""Plain calls of a launcher: sizes by a pattern, ordinary values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tritonopt.verification.inputs.examples import (
    ArgumentRecipe,
    Example,
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
