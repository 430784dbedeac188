"""Hypothesis strategies: from what a launcher takes to examples of calls.

Every choice is ordered from plain to strange, because hypothesis shrinks
toward the front: a counterexample ends at the smallest shape, ordinary
values, contiguous layout and seed 0 that still show the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hypothesis
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
    OfValues,
    PlainValue,
    Repeat,
    Several,
    TensorRecipe,
    given_sizes,
    size_of,
    usable_dtypes,
)
from tritonopt.verification.inputs.hypothesis_internals import no_local_constants, no_traces
from tritonopt.verification.signature.argument_language import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    Argument,
    Bound,
    ChoiceArgument,
    Dimension,
    RangeArgument,
    SameArgument,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    ValuesArgument,
    names_of,
)
from tritonopt.verification.signature.size_facts import fitted

_ALWAYS = (1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 33, 64, 100, 127, 128, 129, 257, 509, 512, 1021, 1024)
_LARGEST_INTEGER = {"i64": 2**31, "i32": 2**31, "i16": 2**15, "i8": 2**7, "u8": 2**8}
_SEEDS = 2**16
_MENTIONED, _EMPTY = 28, 31
"""Of 32 draws of a size, from which on it is one that the files mention, and which is 0."""
_MOST_GROUPS = 16
"""Of a number that divides a size, so many values are drawn."""
_EXTRA_PARTS = (0, 1, 2, 4)
"""How many tensors a list may have beyond those that are written."""


def sizes(limit: int, blocks: tuple[int, ...]) -> list[int]:
    """Sizes worth drawing up to a limit: around every block, one tile and several."""
    around = {n for b in blocks for n in (b - 1, b, b + 1, 2 * b, 2 * b + 3, 3 * b - 1, 4 * b)}
    return sorted(n for n in {*_ALWAYS, *around, limit} if 0 < n <= limit)


def mentioned(limit: int, numbers: tuple[int, ...]) -> list[int]:
    """Sizes at and beside every number of the two files: one may be told apart by it."""
    beside = {n + step for n in numbers for step in (-1, 0, 1)}
    return sorted(n for n in beside if 0 < n <= limit)


Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Calls:
    """Which calls may be drawn; every tensor's dtypes must be usable (see `usable_dtypes`)."""

    signature: Signature
    limits: Limits
    backward: bool
    configurations: int = 1
    """How many an autotuner may choose from."""
    first_calls: bool = False
    """Whether calls are drawn in which it has not chosen yet."""
    expanded_gradients: bool = False
    """Whether incoming gradients are drawn that are one number in memory."""
    other_defaults: frozenset[str] = frozenset()
    """Arguments that have another default in the rewritten version."""
    seen: tuple[Example, ...] = ()
    """Calls that a command made: then no others are."""

    def widest_types(self, example: Example) -> dict[str, str]:
        """For every tensor of an example the widest type that it may have."""
        return {
            name: usable_dtypes(self.signature.tensor(name), self.limits)[0]
            for name in example.tensors
        }


def examples(calls: Calls) -> st.SearchStrategy[Example]:
    """Examples of such calls."""

    @st.composite
    def build(draw: Draw) -> Example:
        shared = _Shared.drawn(draw, calls)
        recipes = tuple((a.name, shared.recipe(a)) for a in calls.signature.arguments)
        forwards_only = not calls.backward or draw(st.booleans())
        return Example(
            recipes,
            backward=not forwards_only,
            gradient_seed=0 if forwards_only else draw(st.integers(0, _SEEDS - 1)),
            gradient_expanded=(
                calls.expanded_gradients and not forwards_only and draw(st.integers(0, 5)) == 5
            ),
            configuration=draw(st.integers(0, calls.configurations - 1)),
            first_call=calls.first_calls and draw(st.integers(0, 7)) == 7,
        )

    return build()


def drawn(
    signature: Signature, limits: Limits, *, backward: bool, count: int, seed: int
) -> list[Example]:
    """So many different examples, without a look at what becomes of them."""
    found: dict[Example, None] = {}

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(hypothesis.Phase.generate,),
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.given(examples(Calls(signature, limits, backward)))
    def collect(example: Example) -> None:
        found[example] = None

    with no_traces(), no_local_constants():
        collect()
    return list(found)


@dataclass(frozen=True)
class _Shared:
    """What the arguments of one call have in common: sizes and types."""

    draw: Draw
    limits: Limits
    dims: dict[str, int]
    leading: tuple[int, ...]
    """What `...` stands for."""
    dtypes: dict[tuple[str, ...], str]
    """By the types that are allowed, the one that was drawn."""

    @classmethod
    def drawn(cls, draw: Draw, calls: Calls) -> _Shared:
        signature, limits = calls.signature, calls.limits
        dims = _draw_dimensions(draw, signature, limits)
        leading = _draw_leading(draw, signature)
        return cls(draw, limits, dims, leading, _draw_common_dtypes(draw, signature, limits))

    def recipe(self, argument: Argument) -> ArgumentRecipe:
        draw = self.draw
        if isinstance(argument, TensorArgument):
            if argument.instead and draw(st.booleans()):
                return PlainValue(draw(st.sampled_from(argument.instead)))
            return self._tensor(argument)
        if isinstance(argument, SequenceArgument):
            extra = draw(st.sampled_from(_EXTRA_PARTS)) if argument.more else 0
            forms = (*argument.parts, *argument.parts[-1:] * extra)
            return Several(tuple(self._tensor(form) for form in forms), argument.as_tuple)
        if isinstance(argument, SameArgument):
            return Repeat(argument.of)
        if isinstance(argument, ValuesArgument):
            return OfValues(argument.how, argument.of)
        if isinstance(argument, RangeArgument):
            return PlainValue(draw(st.integers(argument.low, argument.high)))
        if isinstance(argument, ChoiceArgument):
            return PlainValue(draw(st.sampled_from(argument.values)))
        if isinstance(argument, SizeArgument):
            return given_sizes(argument, self.dims)
        raise TypeError(f"`{argument}` is computed in a launcher, not drawn")

    def _tensor(self, form: TensorArgument) -> TensorRecipe:
        shape = tuple(
            size
            for d in form.shape
            for size in (self.leading if d == "..." else (size_of(d, self.dims),))
        )
        dtype = self.dtypes[usable_dtypes(form, self.limits)]
        return _draw_tensor(self.draw, form, dtype, shape, self.dims)


def _draw_dimensions(draw: Draw, signature: Signature, limits: Limits) -> dict[str, int]:
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
        asked = _asked_of(name, signature, dims)
        if asked is not None:
            dims[name] = min(asked, room)
            continue
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
    for name in signature.size_names:
        if name not in dims:
            dims[name] = _draw_number(draw, name, signature, dims)
    return fitted(signature.facts, dims, smaller=True)


def _asked_of(name: str, signature: Signature, dims: dict[str, int]) -> int | None:
    """What a fact says that a size has to be beside those that were drawn before it."""
    found = (fact.asked_of(name, dims) for fact in signature.facts)
    return next((size for size in found if size is not None), None)


def _draw_number(draw: Draw, name: str, signature: Signature, dims: dict[str, int]) -> int:
    """What facts compare with sizes and no tensor has: a number of groups, a product of sizes."""
    asked = _asked_of(name, signature, dims)
    if asked is not None:
        return asked
    facts = [fact for fact in signature.facts if name in fact.names]
    most = min((dims[n] for fact in facts for n in fact.names if n in dims), default=_MOST_GROUPS)
    return int(draw(st.integers(1, max(min(most, _MOST_GROUPS), 1))))


def _plain(dimension: Dimension) -> Dimension:
    """A formula by the first name in it: for how large that may be, it is near enough."""
    return next(iter(names_of(dimension)), dimension)


def _room(shape: tuple[Dimension, ...], name: str, dims: dict[str, int], most: int) -> int:
    """How large one dimension may be, for a shape to have at most so many elements."""
    taken = 1
    for d in shape:
        taken *= d if isinstance(d, int) else dims.get(d, 1)
    return int((most / max(taken, 1)) ** (1 / max(shape.count(name), 1)))


def _draw_leading(draw: Draw, signature: Signature) -> tuple[int, ...]:
    """The sizes that `...` stands for; the same for every tensor of a call."""
    shapes = [t.shape for t in signature.tensors if "..." in t.shape]
    if not shapes:
        return ()
    least = 1 if any(len(s) == 1 for s in shapes) else 0
    rank = draw(st.integers(least, 2))
    return tuple(draw(st.sampled_from((1, 2, 3, 4, 7))) for _ in range(rank))


def _draw_common_dtypes(
    draw: Draw, signature: Signature, limits: Limits
) -> dict[tuple[str, ...], str]:
    """One type for all tensors that allow the same types: callers seldom mix them."""
    chosen: dict[tuple[str, ...], str] = {}
    for tensor in signature.tensors:
        allowed = usable_dtypes(tensor, limits)
        if allowed not in chosen:
            chosen[allowed] = draw(st.sampled_from(allowed))
    return chosen


def _draw_tensor(
    draw: Draw,
    argument: TensorArgument,
    dtype: str,
    shape: tuple[int, ...],
    dims: dict[str, int],
) -> TensorRecipe:
    values = ORDINARY
    low, high = 0, 1
    if dtype in (*FLOATS, COMPLEX):
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
        return size_of(bound, dims)

    if argument.high is None:
        return (0, 9) if dtype == "u8" else (-9, 9)
    low = number(argument.low)
    # A dimension is an exclusive bound (an index into it), a number an inclusive one.
    # What begins at the low bound and ends at the high one takes both.
    exclusive = isinstance(argument.high, str) and argument.kind != "cumulative"
    high = number(argument.high) - exclusive
    top = _LARGEST_INTEGER[dtype] - 1
    return low, max(low, min(high, top))
