"""One drawn call of a launcher, as a recipe: small, hashable, and the same everywhere.

Tensors never travel. Both workers build them from the recipe and its seed, so
the two versions see the same bits, and a counterexample can be written down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod
from typing import Any

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
    ValuesArgument,
)
from tritonopt.verification.signature.size_facts import fitted, value_of

CONTIGUOUS = "contiguous"
ROW_GAP = "rows further apart"
TRANSPOSED = "transposed"
SWAPPED = "with two dimensions before the last swapped in memory"
"""As heads and tokens are, where tokens come first in memory."""
SPACED = "every second element"
EXPANDED = "expanded from one row"
EXPANDED_COLUMN = "expanded from one column"
LARGE_OFFSETS = "rows so far apart that offsets exceed 2**31"
LARGE_OFFSETS_IN_A_ROW = "neighbors so far apart that offsets exceed 2**31"

ORDINARY = "ordinary"
OFFSET = "1e4 + noise"
NEGATIVE = "-1e4 + noise"
FAR_BELOW = "far below 0"
BEYOND = "beyond "
"""Before a number: all elements are farther from 0 than that, where the type has such numbers."""
ONLY = "nothing but "
"""Before a number: every element is that."""
ZEROS = "with zeros"
HALVES = "halves of integers"
"""Ties, for what rounds, and equal ones, for what compares."""
UP_TO = "halves of integers up to "
"""Before a number, the largest of every row, or nearly, and of every eight elements of it: ties for
what rounds once it is scaled by the largest."""
AND = "ordinary and "
"""Before numbers, with commas: half of the elements are one of these, or have its other sign."""
TINY = "tiny"
CONSTANT = "constant rows"
NONFINITE = "with inf and NaN"
NAN = "with NaN"
"""By itself as well: where a row also holds inf, what becomes of its NaN is not seen."""
MANY_NANS = "with NaN at every second element"
"""Wherever an operator looks that copies a part, it meets some."""
OUTLIER = "an outlier in front"
RISING = "rising"
FALLING = "falling"
"""What is largest or smallest lies at either end, however many tiles are there."""

AWAY = -1
"""The perturbation that moves every number away from 0, so that the terms of a sum move as one."""


def strides_of(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """The strides of a layout, in elements."""
    order = list(range(len(shape)))
    if layout == TRANSPOSED:
        order[-2], order[-1] = order[-1], order[-2]
    if layout == SWAPPED:
        order[-3], order[-2] = order[-2], order[-3]
    strides = [0] * len(shape)
    step = 2 if layout == SPACED else 1
    for place, axis in enumerate(reversed(order)):
        strides[axis] = step
        step *= max(shape[axis], 1)
        if place == 0 and layout == ROW_GAP:
            step += 5
    if layout == LARGE_OFFSETS_IN_A_ROW:
        strides = [s // max(shape[-1], 1) for s in strides[:-1]]
        strides.append(2**31 // (shape[-1] - 1) + 16)
    if layout == LARGE_OFFSETS:
        strides[0] = 2**31 // (shape[0] - 1) + 16
    if layout == EXPANDED:
        strides[0] = 0
    if layout == EXPANDED_COLUMN:
        strides[-1] = 0
    return tuple(strides)


FLOAT_VALUES = (ORDINARY, OFFSET, OUTLIER, CONSTANT, TINY, NONFINITE, NAN, ZEROS, NEGATIVE)


@dataclass(frozen=True)
class Held:
    """Where a tensor that a command passed lay, in memory that was kept."""

    file: str
    """That has what was in the memory, whole."""
    number: int
    """Of the memory; tensors of one call with the same number share it."""
    offset: int
    strides: tuple[int, ...]
    """Both in elements."""


@dataclass(frozen=True)
class TensorRecipe:
    dtype: str
    shape: tuple[int, ...]
    values: str = ORDINARY
    seed: int = 0
    layout: str = CONTIGUOUS
    misaligned: bool = False
    """Whether the pointer is off by one element from a 16-byte boundary."""
    low: int = 0
    high: int = 0
    """Bounds of integer values, both included."""
    kind: str = ""
    """What is known of the values besides, see `argument_language.VALUE_CLASSES`."""
    held: Held | None = None
    """Where its values are kept, if a command passed it: then they are not drawn."""

    @property
    def is_float(self) -> bool:
        return self.dtype in ("f64", "f32", "f16", "bf16", "c64")

    @property
    def is_far(self) -> bool:
        return self.layout in (LARGE_OFFSETS, LARGE_OFFSETS_IN_A_ROW)

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        return strides_of(self.shape, self.layout) if self.held is None else self.held.strides

    def __str__(self) -> str:
        text = f"{self.dtype}[{', '.join(map(str, self.shape))}]"
        if self.held is not None:
            return f"{text} as it was passed, strides {self.strides}"
        if self.is_float:
            text += f" {self.values}"
        elif self.dtype != "bool":
            text += f" in {self.low}..{self.high}"
        if self.kind:
            text += f", {self.kind}"
        text += f", seed {self.seed}"
        text += f", strides {self.strides}"
        if self.layout != CONTIGUOUS:
            text += f" ({self.layout})"
        return text + (", pointer off by one element" if self.misaligned else "")


@dataclass(frozen=True)
class PlainValue:
    value: object

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class Repeat:
    """The tensor of another argument, passed again."""

    of: str

    def __str__(self) -> str:
        return f"the same tensor as {self.of}"


@dataclass(frozen=True)
class OfValues:
    """What the values of another argument come to: their sum, or the largest."""

    how: str
    of: str

    def number(self, tensor: Any) -> int:
        """What the values of the tensor come to; 0 where there are none."""
        values: list[int] = tensor.flatten().tolist()
        return sum(values) if self.how == "sum" else max(values, default=0)

    def __str__(self) -> str:
        return f"the {self.how} of {self.of}"


@dataclass(frozen=True)
class Several:
    """A list or a tuple of tensors."""

    parts: tuple[TensorRecipe, ...]
    as_tuple: bool = False

    def __str__(self) -> str:
        text = "; ".join(map(str, self.parts))
        return f"({text})" if self.as_tuple else f"[{text}]"


ArgumentRecipe = TensorRecipe | Several | PlainValue | Repeat | OfValues


def parts_of(name: str, recipe: ArgumentRecipe) -> tuple[tuple[str, TensorRecipe], ...]:
    """The tensors in an argument, with their names."""
    if isinstance(recipe, TensorRecipe):
        return ((name, recipe),)
    if isinstance(recipe, Several):
        return tuple((f"{name}[{at}]", part) for at, part in enumerate(recipe.parts))
    return ()


@dataclass(frozen=True)
class Example:
    arguments: tuple[tuple[str, ArgumentRecipe], ...]
    backward: bool = False
    """Whether gradients are asked for (autograd functions)."""
    gradient_seed: int = 0
    gradient_expanded: bool = False
    """Whether all elements of an incoming gradient are one number in memory (`y.sum()`)."""
    gradient_nan: bool = False
    """Whether one element of each incoming gradient is NaN."""
    wanted: tuple[str, ...] = ()
    """The tensors that need a gradient; empty for every one of floats."""
    second_backward: bool = False
    """Whether gradients are asked for twice, of the same graph."""
    no_grad: bool = False
    """Whether the call is made under `torch.no_grad()`, with tensors that need gradients."""
    configuration: int = 0
    """Which of an autotuned kernel's configurations is taken."""
    first_call: bool = False
    """Whether the autotuner has not chosen yet: it runs every configuration once before."""
    second_call: bool = False
    """Whether the same tensors were passed once before, when they held something else."""

    def __str__(self) -> str:
        lines = [f"{name} = {recipe}" for name, recipe in self.arguments]
        if self.backward:
            kind = "expanded from one number" if self.gradient_expanded else "ordinary"
            kind += ", with NaN," if self.gradient_nan else ""
            of = " and ".join(self.wanted) or "every floating-point argument"
            twice = ", twice" if self.second_backward else ""
            lines.append(
                f"with the gradients of {of}, from "
                f"{kind} ones with seed {self.gradient_seed}{twice}"
            )
        if self.no_grad:
            lines.append("under torch.no_grad(), with tensors that need gradients")
        if self.configuration:
            lines.append(f"autotuned kernels take their configuration {self.configuration}")
        if self.second_call:
            lines.append("for the second time with these tensors, which held other values before")
        if self.first_call:
            lines.append("on the first call, in which the autotuner runs every configuration")
        return "\n".join(lines)

    @property
    def tensors(self) -> Mapping[str, TensorRecipe]:
        """Every tensor by name, those in lists as `NAME[0]`, `NAME[1]`, ..."""
        return {n: r for name, recipe in self.arguments for n, r in parts_of(name, recipe)}

    def needs_gradient(self, name: str) -> bool:
        """Whether a tensor, if it is one of floats, is to have a gradient."""
        return (self.backward or self.no_grad) and (not self.wanted or name in self.wanted)

    def with_tensors(self, change: Callable[[str, TensorRecipe], TensorRecipe]) -> Example:
        """The same call with other recipes for its tensors."""

        def changed(name: str, recipe: ArgumentRecipe) -> ArgumentRecipe:
            if isinstance(recipe, Several):
                parts = tuple(change(n, part) for n, part in parts_of(name, recipe))
                return replace(recipe, parts=parts)
            return change(name, recipe) if isinstance(recipe, TensorRecipe) else recipe

        return replace(self, arguments=tuple((n, changed(n, r)) for n, r in self.arguments))

    @property
    def main_tensor(self) -> str | None:
        """The largest floating-point tensor, unless it is a single element or none."""
        floats = {n: r for n, r in self.tensors.items() if r.is_float and r.elements > 1}
        return max(floats, key=lambda name: floats[name].elements, default=None)

    @property
    def main_size(self) -> int:
        return self.tensors[self.main_tensor].elements if self.main_tensor is not None else 0

    def plain(self, values: str, dtypes: Mapping[str, str]) -> Example:
        """The same shapes, contiguous and ordinary, but for the values of the main tensor."""

        def plain(name: str, recipe: TensorRecipe) -> TensorRecipe:
            if not recipe.is_float:
                return recipe
            return replace(
                recipe,
                dtype=dtypes.get(name, recipe.dtype),
                values=values if name == self.main_tensor else ORDINARY,
                layout=CONTIGUOUS,
                misaligned=False,
            )

        return self.with_tensors(plain)

    @property
    def is_far(self) -> bool:
        return any(recipe.is_far for recipe in self.tensors.values())

    @property
    def was_seen(self) -> bool:
        """Whether a command made the call: it is made however long it takes, and as large."""
        return any(recipe.held is not None for recipe in self.tensors.values())

    def at_large_offsets(self, names: Set[str], layout: str) -> Example:
        """The same call, these tensors with more than 2**31 elements between some of theirs."""

        def far(name: str, recipe: TensorRecipe) -> TensorRecipe:
            return replace(recipe, layout=layout, misaligned=False) if name in names else recipe

        return self.with_tensors(far)

    @property
    def contiguous(self) -> bool:
        return all(r.layout == CONTIGUOUS for r in self.tensors.values())

    def shares_memory(self, output: str) -> bool:
        """Whether an output is an argument of which several elements lie at one address."""
        recipe = self.tensors.get(output.removeprefix("argument "))
        return recipe is not None and recipe.layout in (EXPANDED, EXPANDED_COLUMN)

    @property
    def difficulty(self) -> frozenset[str]:
        """What makes the values numerically hard; errors are compared within one difficulty."""
        return frozenset(r.values for r in self.tensors.values()) - {
            ORDINARY,
            NONFINITE,
            NAN,
            MANY_NANS,
        }


@dataclass(frozen=True)
class Limits:
    """What one example may cost on a backend."""

    elements: int
    rows: int
    dtypes: frozenset[str]
    blocks: tuple[int, ...] = field(default=())
    """Block sizes that the file mentions."""
    counts: tuple[int, ...] = field(default=())
    """Every whole number that it mentions: one may be how many programs there are at most."""
    aimed: int = 2**21
    """Elements of all tensors together of a call that is made to run what differs."""


# Calls made on purpose: sizes by a pattern or as given, and what draws hit too seldom.


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


def size_of(dimension: Dimension, sizes: Mapping[str, int]) -> int:
    """The size of a dimension, by those that have names."""
    if isinstance(dimension, int):
        return dimension
    return sizes[dimension] if dimension in sizes else value_of(dimension, sizes)


def given_sizes(argument: SizeArgument, sizes: Mapping[str, int]) -> PlainValue:
    """What is passed for sizes."""
    found = tuple(size_of(d, sizes) for d in argument.sizes)
    return PlainValue(found if argument.as_tuple else found[0])


def _recipe(argument: Argument, at: int, sizes: Mapping[str, int]) -> ArgumentRecipe:
    if isinstance(argument, SequenceArgument):
        forms = (*argument.parts, *argument.parts[-1:] * argument.more)
        parts = (_recipe(form, at + i, sizes) for i, form in enumerate(forms))
        return Several(tuple(p for p in parts if isinstance(p, TensorRecipe)), argument.as_tuple)
    if isinstance(argument, TensorArgument):
        shape = tuple(LEADING if d == "..." else size_of(d, sizes) for d in argument.shape)
        low, high = argument.low, argument.high
        first = size_of(low, sizes)
        last = 9 if high is None else size_of(high, sizes)
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
    if isinstance(argument, ValuesArgument):
        return OfValues(argument.how, argument.of)
    if isinstance(argument, RangeArgument):
        return PlainValue(argument.low)
    if isinstance(argument, ChoiceArgument):
        return PlainValue(argument.values[0])
    if not isinstance(argument, SizeArgument):
        raise TypeError(f"`{argument}` is computed in a launcher, not drawn")
    return given_sizes(argument, sizes)


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


# What is not drawn: types that a backend does not have, kinds that a few draws leave out.


def left_out_types(signature: Signature, limits: Limits, notes: list[str]) -> str:
    """Note which types the backend leaves out; why nothing can be drawn, where none is left."""
    for tensor in signature.tensors:
        usable = tuple(d for d in tensor.dtypes if d in limits.dtypes)
        if not usable:
            return (
                f"`{tensor}`: this backend has none of these types; verify on a GPU "
                "(--backend cuda) or give another type"
            )
        if usable != tensor.dtypes:
            left = ", ".join(d for d in tensor.dtypes if d not in usable)
            notes.append(f"{left} was skipped: this backend does not have it")
    return ""


_FEW = 50
"""Fewer draws than that may leave out whole kinds of what is drawn."""


def untried(
    signature: Signature, limits: Limits, examples: Iterable[Example], asked: int
) -> list[str]:
    """Where few calls were asked for, what none of those has that were compared, in one note."""
    if asked >= _FEW:
        return []
    every = [recipe for example in examples for recipe in example.tensors.items()]
    wanted: list[str] = []
    for tensor in signature.tensors:
        types = {recipe.dtype for name, recipe in every if name == tensor.name}
        wanted += [
            f"{d} for {tensor.name}" for d in tensor.dtypes if d in limits.dtypes and d not in types
        ]
    layouts = {recipe.layout for _, recipe in every}
    if any(tensor.strided and len(tensor.shape) > 1 for tensor in signature.tensors):
        wanted += [layout for layout in (ROW_GAP, TRANSPOSED) if layout not in layouts]
    values = {recipe.values for _, recipe in every if recipe.is_float}
    wanted += [v for v in FLOAT_VALUES if values and v not in values]
    missing = f"; not tried at all: {', '.join(wanted)}" if wanted else ""
    return [
        f"{asked} random calls were requested in addition to the deliberate ones: rare "
        "combinations of "
        f"sizes, types, layouts and values were not tried{missing}"
    ]
