"""Hypothesis strategies: from what a launcher takes to examples of calls.

Every choice is ordered from plain to strange, because hypothesis shrinks
towards the front: a counterexample ends at the smallest shape, ordinary
values, contiguous layout and seed 0 that still show the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tritonopt.verification.inputs.examples import (
    CONTIGUOUS,
    FLOAT_VALUES,
    ORDINARY,
    ROW_GAP,
    TRANSPOSED,
    ArgumentRecipe,
    Example,
    Limits,
    PlainValue,
    Repeat,
    Several,
    TensorRecipe,
)
from tritonopt.verification.signature.argument_language import (
    FLOATS,
    INTEGERS,
    Bound,
    ChoiceArgument,
    Dimension,
    RangeArgument,
    SameArgument,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    names_of,
)
from tritonopt.verification.signature.size_facts import fitted, value_of

_ALWAYS = (1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 33, 64, 100, 127, 128, 129, 257, 509, 512, 1021, 1024)
_LARGEST_INTEGER = {"i64": 2**31, "i32": 2**31, "i16": 2**15, "i8": 2**7, "u8": 2**8}
_SEEDS = 2**16
_MENTIONED, _EMPTY = 28, 31
"""Of 32 draws of a size, from which on it is one that the files mention, and which is 0."""
_EXTRA_PARTS = (0, 1, 2, 4)
"""How many tensors a list may have beyond those that are written."""


def usable_dtypes(argument: TensorArgument, limits: Limits) -> tuple[str, ...]:
    return tuple(d for d in argument.dtypes if d in limits.dtypes)


def sizes(limit: int, blocks: tuple[int, ...]) -> list[int]:
    """Sizes worth drawing up to a limit: around every block, one tile and several."""
    around = {n for b in blocks for n in (b - 1, b, b + 1, 2 * b, 2 * b + 3, 3 * b - 1, 4 * b)}
    return sorted(n for n in {*_ALWAYS, *around, limit} if 0 < n <= limit)


def mentioned(limit: int, numbers: tuple[int, ...]) -> list[int]:
    """Sizes at and beside every number of the two files: one may be told apart by it."""
    beside = {n + step for n in numbers for step in (-1, 0, 1)}
    return sorted(n for n in beside if 0 < n <= limit)


def examples(
    signature: Signature,
    limits: Limits,
    *,
    backward: bool,
    configurations: int = 1,
    first_calls: bool = False,
    expanded_gradients: bool = False,
) -> st.SearchStrategy[Example]:
    """Examples of calls; every tensor's dtypes must be usable (see `usable_dtypes`).

    `configurations` is how many an autotuner may choose from; `first_calls` draws calls too
    in which it has not chosen yet; `expanded_gradients` draws incoming gradients that are one
    number in memory.
    """

    def tensor(
        draw: Callable[[st.SearchStrategy[Any]], Any],
        form: TensorArgument,
        dims: dict[str, int],
        leading: tuple[int, ...],
        like: dict[tuple[str, ...], str],
    ) -> TensorRecipe:
        shape = tuple(
            size for d in form.shape for size in (leading if d == "..." else (_size(d, dims),))
        )
        return _draw_tensor(draw, form, like[usable_dtypes(form, limits)], shape, dims)

    @st.composite
    def build(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Example:
        dims = _draw_dimensions(draw, signature, limits)
        leading = _draw_leading(draw, signature)
        like = _draw_common_dtypes(draw, signature, limits)
        recipes: list[tuple[str, ArgumentRecipe]] = []
        for argument in signature.arguments:
            if isinstance(argument, TensorArgument):
                if argument.optional and draw(st.booleans()):
                    recipes.append((argument.name, PlainValue(None)))
                    continue
                recipes.append((argument.name, tensor(draw, argument, dims, leading, like)))
            elif isinstance(argument, SequenceArgument):
                extra = draw(st.sampled_from(_EXTRA_PARTS)) if argument.more else 0
                forms = (*argument.parts, *argument.parts[-1:] * extra)
                parts = tuple(tensor(draw, form, dims, leading, like) for form in forms)
                recipes.append((argument.name, Several(parts, argument.as_tuple)))
            elif isinstance(argument, SameArgument):
                recipes.append((argument.name, Repeat(argument.of)))
            elif isinstance(argument, RangeArgument):
                value = draw(st.integers(argument.low, argument.high))
                recipes.append((argument.name, PlainValue(value)))
            elif isinstance(argument, ChoiceArgument):
                value = draw(st.sampled_from(argument.values))
                recipes.append((argument.name, PlainValue(value)))
            elif isinstance(argument, SizeArgument):
                recipes.append((argument.name, PlainValue(_sizes_of(argument, dims))))
            else:
                raise TypeError(f"`{argument}` is computed in a launcher, not drawn")
        forwards_only = not backward or draw(st.booleans())
        return Example(
            tuple(recipes),
            backward=not forwards_only,
            gradient_seed=0 if forwards_only else draw(st.integers(0, _SEEDS - 1)),
            gradient_expanded=(
                expanded_gradients and not forwards_only and draw(st.integers(0, 5)) == 5
            ),
            configuration=draw(st.integers(0, configurations - 1)),
            first_call=first_calls and draw(st.integers(0, 7)) == 7,
        )

    return build()


def _size(dimension: Dimension, dims: dict[str, int]) -> int:
    if isinstance(dimension, int):
        return dimension
    return dims[dimension] if dimension in dims else value_of(dimension, dims)


def _sizes_of(argument: SizeArgument, dims: dict[str, int]) -> object:
    found = tuple(_size(d, dims) for d in argument.sizes)
    return found if argument.as_tuple else found[0]


def _draw_dimensions(
    draw: Callable[[st.SearchStrategy[Any]], Any], signature: Signature, limits: Limits
) -> dict[str, int]:
    """A size for every name, so that no tensor exceeds the limits.

    The names that end some shape are columns, which get the long sizes; the
    others are rows, of which a program usually handles one: few are enough.
    """
    shapes = signature.shapes
    names: list[str] = []
    for shape in shapes:
        for d in reversed(shape):
            names += [name for name in names_of(d) if name not in names]
    shapes = tuple(tuple(_plain(d) for d in shape) for shape in shapes)
    columns = [shape[-1] for shape in shapes]
    names.sort(key=lambda n: n not in columns)
    dims: dict[str, int] = {}
    for name in names:
        room = limits.elements
        is_column = name in columns
        for shape in shapes:
            if name not in shape:
                continue
            room = min(room, _room(shape, name, dims, limits.elements))
            if not (is_column and shape[-1] == name):
                # Rows are walked one by one, in loops or programs: they cost the most.
                room = min(room, _room(shape[:-1], name, dims, limits.rows))
        room = max(1, room)
        pool = sizes(room, limits.blocks)
        if not is_column:
            pool = sorted({*pool, *range(1, min(room, 9) + 1)})
        # An empty dimension is one draw in thirty or so: it matters, and most launchers
        # answer it with an early return that teaches nothing more. So is, nearly, what the
        # files mention: most of it has nothing to do with this dimension.
        kind = draw(st.integers(0, 31))
        if kind >= _MENTIONED:
            pool = mentioned(room, limits.counts) or pool
        dims[name] = 0 if kind == _EMPTY else draw(st.sampled_from(pool))
    return fitted(signature.facts, dims)


def _plain(dimension: Dimension) -> Dimension:
    """A formula by the first name in it: for how large that may be, it is near enough."""
    return next(iter(names_of(dimension)), dimension)


def _room(shape: tuple[Dimension, ...], name: str, dims: dict[str, int], most: int) -> int:
    """How large one dimension may be, for a shape to have at most so many elements."""
    taken = 1
    for d in shape:
        taken *= d if isinstance(d, int) else dims.get(d, 1)
    return int((most / max(taken, 1)) ** (1 / max(shape.count(name), 1)))


def _draw_leading(
    draw: Callable[[st.SearchStrategy[Any]], Any], signature: Signature
) -> tuple[int, ...]:
    """The sizes that `...` stands for; the same for every tensor of a call."""
    shapes = [t.shape for t in signature.tensors if "..." in t.shape]
    if not shapes:
        return ()
    least = 1 if any(len(s) == 1 for s in shapes) else 0
    rank = draw(st.integers(least, 2))
    return tuple(draw(st.sampled_from((1, 2, 3, 4, 7))) for _ in range(rank))


def _draw_common_dtypes(
    draw: Callable[[st.SearchStrategy[Any]], Any], signature: Signature, limits: Limits
) -> dict[tuple[str, ...], str]:
    """One type for all tensors that allow the same types: callers seldom mix them."""
    chosen: dict[tuple[str, ...], str] = {}
    for tensor in signature.tensors:
        allowed = usable_dtypes(tensor, limits)
        if allowed not in chosen:
            chosen[allowed] = draw(st.sampled_from(allowed))
    return chosen


def _draw_tensor(
    draw: Callable[[st.SearchStrategy[Any]], Any],
    argument: TensorArgument,
    dtype: str,
    shape: tuple[int, ...],
    dims: dict[str, int],
) -> TensorRecipe:
    values = ORDINARY
    low, high = 0, 1
    if dtype in FLOATS:
        values = draw(st.sampled_from((ORDINARY, *FLOAT_VALUES)))
    elif dtype in INTEGERS:
        low, high = _bounds(argument, dtype, dims)
    layouts = [CONTIGUOUS]
    if argument.strided and len(shape) >= 2:
        layouts = [CONTIGUOUS, CONTIGUOUS, ROW_GAP]
        if not argument.rows_only:
            layouts.append(TRANSPOSED)
    return TensorRecipe(
        dtype,
        shape,
        values,
        seed=draw(st.integers(0, _SEEDS - 1)),
        layout=draw(st.sampled_from(layouts)),
        misaligned=draw(st.sampled_from((False, False, False, True))),
        low=low,
        high=high,
        kind=argument.kind,
    )


def _bounds(argument: TensorArgument, dtype: str, dims: dict[str, int]) -> tuple[int, int]:
    def number(bound: Bound) -> int:
        return _size(bound, dims)

    if argument.high is None:
        return (0, 9) if dtype == "u8" else (-9, 9)
    low = number(argument.low)
    # A dimension is an exclusive bound (an index into it), a number an inclusive one.
    # What begins at the low bound and ends at the high one takes both.
    exclusive = isinstance(argument.high, str) and argument.kind != "cumulative"
    high = number(argument.high) - exclusive
    top = _LARGEST_INTEGER[dtype] - 1
    return low, max(low, min(high, top))
