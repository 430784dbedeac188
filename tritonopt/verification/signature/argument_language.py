"""The arguments of a launcher: what is drawn for each, and the language that says so.

    x: f32|f16[m, n], w: f32[n], index: i64[m] in 0..n, eps: 1e-5, dim: int in 0..1,
    flag: bool, mode: 'mean'|'sum', n_cols: n, shape: (m, n), y: =x, z: f32[..., n],
    bias: f32[n] | None, dtype: torch.float16, stride: x.stride(0), tiles: cdiv(n, 16),
    tensors: [f32[m, n], f32[k, n]], pair: (f32[n], f32[n]), parts: [f32[m, n], ...]
    halves: f32[m, 2 * n], p: f32[n] in positive, order: i64[n] in permutation,
    offsets: i32[b + 1] in 0..n cumulative, n % 16 == 0, total: sum(lengths)

A name in brackets is a dimension that is drawn; the same name is the same size
everywhere. `...` stands for any number of leading dimensions. `=x` passes the
same tensor a second time. `| None` after a tensor leaves it out at times, and
`| 0.5 | -2` passes one of these numbers instead. A dimension's name, alone or
in a tuple, is its size. Tensors in `[ ]` are a list, in `( )` a tuple, and `...`
after the last of them is any number more like it.
After `in` stands a range of whole numbers, a class of values (`VALUE_CLASSES`),
or both. A comparison of sizes holds in every call; a name in one may be a number
that no tensor has for a size: `x: f32[m, n], groups: g, n % g == 0`. `sum(x)` and
`max(x)` are numbers that a tensor of whole numbers comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tritonopt.facts.host import torch_api
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.size_facts import (
    Fact,
    names_in,
)

FLOATS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i64", "i32", "i16", "i8", "u8")
COMPLEX = "c64"
DTYPES = (*FLOATS, *INTEGERS, "bool", COMPLEX)
LONG_NAMES = {
    name: short
    for names in torch_api.DTYPES.items()
    if (short := torch_api.letters(names[1])) in DTYPES
    for name in names
    if name != short
}
"""The types as torch and Triton call them, with the short form."""


def short_name(dtype: str) -> str:
    """The short form of a type of a tensor; the same name, where there is none."""
    return COMPLEX if dtype == "complex64" else LONG_NAMES.get(dtype, dtype)


Dimension = int | str
"""A size, the name of one, or a formula of names. The name `...` is any number of leading ones."""

Bound = int | str

FLOAT_CLASSES = ("finite", "positive", "negative", "very_negative")
WHOLE_CLASSES = ("permutation", "sorted", "cumulative")
VALUE_CLASSES = (*FLOAT_CLASSES, *WHOLE_CLASSES)
"""What is known of the values of a tensor: floats without inf and NaN, of one sign, or all below
-1e4; whole numbers that are each of 0, 1, 2, ... once along the last dimension, that never
decrease along it, or that do so from the low to the high bound (where sequences begin)."""


@dataclass(frozen=True)
class TensorArgument:
    """A tensor that is drawn: its type, shape, layout and values."""

    name: str
    dtypes: tuple[str, ...]
    shape: tuple[Dimension, ...]
    strided: bool = True
    """Whether layouts that are not contiguous may be drawn."""
    rows_only: bool = False
    """Whether only the distance between rows may be drawn: neighbors in a row stay neighbors."""
    low: Bound = 0
    high: Bound | None = None
    """Integer values lie in low..high - 1 where `high` is a dimension, in
    low..high where it is a number, and in a small range where it is None."""
    kind: str = ""
    """One of `VALUE_CLASSES`, if all values are of that class."""
    optional: bool = False
    """Whether None may be passed instead."""
    numbers: tuple[int | float, ...] = ()
    """What else may be passed instead."""

    @property
    def instead(self) -> tuple[int | float | None, ...]:
        """Everything that is no tensor and may be passed."""
        return (*((None,) if self.optional else ()), *self.numbers)

    def __str__(self) -> str:
        return f"{self.name}: {self.form}"

    @property
    def form(self) -> str:
        """Everything but the name."""
        text = f"{'|'.join(self.dtypes)}[{', '.join(map(str, self.shape))}]"
        if self.high is not None:
            text += f" in {self.low}..{self.high}"
        if self.kind:
            text += f"{' ' if self.high is not None else ' in '}{self.kind}"
        return " | ".join([text, *map(repr, self.instead)])


@dataclass(frozen=True)
class TorchType:
    """A type of torch as a value: `dtype: torch.float16`."""

    name: str
    """In the short form, `f16`."""

    def __repr__(self) -> str:
        long = next((n for n, short in LONG_NAMES.items() if short == self.name), self.name)
        return f"torch.{long}"


@dataclass(frozen=True)
class ChoiceArgument:
    """One of a few plain values."""

    name: str
    values: tuple[object, ...]

    def __str__(self) -> str:
        if all(type(v) is bool for v in self.values) and self.values == (False, True):
            return f"{self.name}: bool"
        return f"{self.name}: {'|'.join(map(repr, self.values))}"


@dataclass(frozen=True)
class RangeArgument:
    """A whole number in low..high, both included."""

    name: str
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.name}: int in {self.low}..{self.high}"


@dataclass(frozen=True)
class SizeArgument:
    """The size of a dimension, or a tuple of sizes."""

    name: str
    sizes: tuple[Dimension, ...]
    as_tuple: bool = False

    def __str__(self) -> str:
        if not self.as_tuple:
            return f"{self.name}: {self.sizes[0]}"
        comma = "," if len(self.sizes) == 1 else ""
        return f"{self.name}: ({', '.join(map(str, self.sizes))}{comma})"


@dataclass(frozen=True)
class SameArgument:
    """The very tensor that another argument is."""

    name: str
    of: str

    def __str__(self) -> str:
        return f"{self.name}: ={self.of}"


@dataclass(frozen=True)
class ValuesArgument:
    """A number that the values of a tensor come to: how many rows all lengths are together."""

    name: str
    how: str
    """One of `MADE_OF_VALUES`."""
    of: str

    def __str__(self) -> str:
        return f"{self.name}: {self.how}({self.of})"


MADE_OF_VALUES = ("sum", "max")


@dataclass(frozen=True)
class FormulaArgument:
    """An expression of sizes, strides and other arguments: `x.stride(0)`, `cdiv(n, BLOCK)`."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


@dataclass(frozen=True)
class SequenceArgument:
    """A list or a tuple of tensors, each of them with a form of its own."""

    name: str
    parts: tuple[TensorArgument, ...]
    """At least one; their names are `NAME[0]`, `NAME[1]`, ..."""
    more: bool = False
    """Whether any number of tensors like the last one may follow."""
    as_tuple: bool = False

    @staticmethod
    def of(
        name: str, forms: Sequence[TensorArgument], *, more: bool = False, as_tuple: bool = False
    ) -> SequenceArgument:
        """Of tensors that may be called anything."""
        parts = (replace(form, name=f"{name}[{at}]") for at, form in enumerate(forms))
        return SequenceArgument(name, tuple(parts), more, as_tuple)

    def with_parts(self, change: Callable[[TensorArgument], TensorArgument]) -> SequenceArgument:
        return replace(self, parts=tuple(map(change, self.parts)))

    def __str__(self) -> str:
        forms = [part.form for part in self.parts] + ["..."] * self.more
        if not self.as_tuple:
            return f"{self.name}: [{', '.join(forms)}]"
        return f"{self.name}: ({', '.join(forms)}{',' * (len(forms) == 1)})"


Argument = (
    TensorArgument
    | SequenceArgument
    | ChoiceArgument
    | RangeArgument
    | SizeArgument
    | SameArgument
    | ValuesArgument
    | FormulaArgument
)


def tensors_of(argument: Argument | None) -> tuple[TensorArgument, ...]:
    """The tensors in an argument: itself, or the parts of a list."""
    if isinstance(argument, TensorArgument):
        return (argument,)
    return argument.parts if isinstance(argument, SequenceArgument) else ()


FUNCTIONS = ("cdiv", "next_power_of_2", "min", "max")
"""What may be called in a formula, besides `x.stride(0)`, `x.size(0)` and `x.numel()`."""


@dataclass(frozen=True)
class Origin:
    """Where a list of arguments is written, so that an error can point into it."""

    label: str = "--args"
    """An option, or the path of a file."""
    text: str = ""
    line: int = 0
    """The line of the file that it stands in; 0 for an option."""
    column: int = 0
    """Where in that line it begins, from 0."""

    def error(self, at: int, message: str) -> VerificationError:
        """What is wrong at a character of the text, counted from 0."""
        where = f"{self.label}, column {at + 1}"
        if self.line:
            where = f"{self.label}:{self.line}:{self.column + at + 1}"
        return VerificationError(f"{where}: {message}\n  {self.text}\n  {' ' * at}^")


@dataclass(frozen=True)
class Signature:
    """Everything that a launcher is called with, in the order of its parameters."""

    arguments: tuple[Argument, ...]
    notes: tuple[str, ...] = ()
    origin: Origin = field(default=Origin(), compare=False)
    facts: tuple[Fact, ...] = ()
    """What holds of the sizes in every call."""
    columns: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Where in the text each argument begins; empty for what was inferred."""
    forms: tuple[Signature, ...] = ()
    """What is taken beside: one row in place of several."""
    contiguous: bool = False
    """Whether tensors are only passed as they are made: in no other layout."""
    one_type: bool = False
    """Whether tensors that may be of one type of floats always are."""

    def error(self, name: str, message: str) -> VerificationError:
        """An error that points at the argument of that name, if it was written."""
        return self.origin.error(self.columns.get(name, 0), message)

    def __str__(self) -> str:
        return ", ".join(map(str, (*self.arguments, *self.facts)))

    @property
    def size_names(self) -> tuple[str, ...]:
        """The names of all sizes that are drawn, those in formulas included."""
        found = [d for shape in self.shapes for d in shape]
        for argument in self.arguments:
            if isinstance(argument, SizeArgument):
                found += argument.sizes
        return tuple(dict.fromkeys(name for d in found for name in names_of(d)))

    def get(self, name: str) -> Argument | None:
        return next((a for a in self.arguments if a.name == name), None)

    @property
    def tensors(self) -> tuple[TensorArgument, ...]:
        """Every tensor that is written, those in lists included."""
        return tuple(part for argument in self.arguments for part in tensors_of(argument))

    @property
    def shapes(self) -> tuple[tuple[Dimension, ...], ...]:
        """Every shape that is drawn: the tensors', and what is allocated by the sizes given."""
        tuples = [a.sizes for a in self.arguments if isinstance(a, SizeArgument) and a.as_tuple]
        single = [a for a in self.arguments if isinstance(a, SizeArgument) and not a.as_tuple]
        found = [*(t.shape for t in self.tensors), *tuples]
        if not any(t.shape for t in self.tensors):
            found.append(tuple(size for a in single for size in a.sizes))
        return tuple(shape for shape in found if shape)

    def tensor(self, name: str) -> TensorArgument:
        """What a drawn tensor came from; `NAME[7]` may be one more like the last written."""
        owner, _, _ = name.partition("[")
        known = {t.name: t for t in tensors_of(self.get(owner))}
        return known.get(name, list(known.values())[-1])


def names_of(dimension: Dimension) -> tuple[str, ...]:
    """The names in a dimension: one, those of a formula, or none."""
    if isinstance(dimension, int) or dimension == "...":
        return ()
    return (dimension,) if dimension.isidentifier() else names_in(dimension)
