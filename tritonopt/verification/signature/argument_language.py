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

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from tritonopt.facts.host import torch_api
from tritonopt.source.parsing import parsed
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.size_facts import (
    Fact,
    fitted,
    hold,
    is_comparison,
    names_in,
    strange,
)

EXAMPLE = "--args 'x: f32[m, n], w: f32[n], eps: 1e-5'"

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


def parse(text: str, origin: Origin | None = None) -> Signature:
    """Read the one-line language; raise VerificationError that points at the mistake."""
    origin = replace(origin or Origin(), text=text)
    parser = _Parser(text, origin)
    arguments = parser.arguments()
    signature = Signature(arguments, (), origin, tuple(parser.facts), parser.columns)
    _check(signature)
    return signature


def _check(signature: Signature) -> None:
    by_name = {a.name: a for a in signature.arguments}
    dimensions = {name for t in signature.tensors for d in t.shape for name in names_of(d)}
    compared = {name for fact in signature.facts for name in fact.names}
    for fact in signature.facts:
        unknown = set(fact.names) - set(signature.size_names)
        if unknown:
            at = signature.origin.text.index(fact.text)
            raise signature.origin.error(at, _no_size(fact, unknown, signature))
    if nothing := _contradiction(signature.facts, signature):
        at = signature.origin.text.rindex(signature.facts[-1].text)
        raise signature.origin.error(at, nothing)
    for argument in signature.arguments:
        if isinstance(argument, (SameArgument, ValuesArgument)) and not isinstance(
            by_name.get(argument.of), TensorArgument
        ):
            raise signature.error(
                argument.name, f"`{argument}` names `{argument.of}`, which is no tensor"
            )
        wanted: tuple[Bound | None, ...] = tuple(
            bound for tensor in tensors_of(argument) for bound in (tensor.low, tensor.high)
        )
        shaped = any(tensor.shape for tensor in signature.tensors)
        if isinstance(argument, SizeArgument) and shaped and not argument.as_tuple:
            # A tuple may be the shape of what is made; without a tensor any size may be.
            wanted = tuple(size for size in argument.sizes if size not in compared)
        for size in (name for bound in wanted for name in names_of(bound or 0)):
            if size not in dimensions:
                raise signature.error(
                    argument.name,
                    f"`{argument}` uses `{size}`, which is no dimension of a tensor. "
                    f"Dimensions here: {', '.join(sorted(dimensions)) or 'none'}. "
                    f"Text is written in quotes ('{size}').",
                )


def _no_size(fact: Fact, unknown: set[str], signature: Signature) -> str:
    sizes = ", ".join(signature.size_names) or "none"
    return f"`{fact}` names {', '.join(sorted(unknown))}: sizes here are {sizes}"


def _contradiction(facts: Sequence[Fact], signature: Signature) -> str:
    """That no sizes were found of which the facts hold; "" where some were."""
    sizes = dict.fromkeys(signature.size_names, 1)
    if hold(facts, fitted(facts, sizes)):
        return ""
    holds = "hold" if len(facts) > 1 else "holds"
    return f"no sizes were found for which {' and '.join(f'`{fact}`' for fact in facts)} {holds}"


def assumed(signature: Signature, texts: Sequence[str]) -> Signature:
    """With facts about sizes that are given apart; VerificationError for what is none."""
    facts = []
    for text in texts:
        origin = Origin("--assume", text)
        wrong = strange(text)
        if wrong is None and not is_comparison(text):
            wrong = 0, "a comparison of sizes is expected, as in `n % 16 == 0`"
        if wrong is not None:
            raise origin.error(*wrong)
        fact = Fact(text.strip())
        unknown = set(fact.names) - set(signature.size_names)
        if unknown:
            raise origin.error(0, f"{_no_size(fact, unknown, signature)} (in: {signature})")
        facts.append(fact)
    known = (*signature.facts, *facts)
    if nothing := _contradiction(known, signature) if facts else "":
        raise Origin("--assume", texts[-1]).error(0, nothing)
    return replace(signature, facts=known)


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<range>\.\.(?!\.))
      | (?P<dots>\.\.\.)
      | (?P<number>[-+]?(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf|nan)\b)
      | (?P<type>torch\.\w+)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<mark>[:\[\](),|=])
      | (?P<bad>\S)
    )""",
    re.VERBOSE,
)


def check_formula(text: str, origin: Origin, start: int = 0) -> ast.expr:
    """The expression; an error points at the first thing that formulas do not have."""
    try:
        # In brackets, because a line may begin with a space.
        tree = parsed(f"({text})", mode="eval").body
    except SyntaxError as error:
        at = start + max((error.offset or 1) - 2, 0)
        raise origin.error(at, f"this is no expression: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, (ast.operator, ast.unaryop, ast.expr_context, ast.Name, ast.Tuple)):
            continue
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            continue
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Subscript)):
            continue
        if isinstance(node, ast.Attribute) and node.attr in torch_api.EXTENTS | {"shape"}:
            continue
        if isinstance(node, ast.Call) and not node.keywords:
            function = node.func
            if isinstance(function, ast.Attribute):
                continue
            if isinstance(function, ast.Name) and function.id in FUNCTIONS:
                continue
        column = getattr(node, "col_offset", 1) - 1
        raise origin.error(
            start + column,
            f"`{ast.unparse(node)}` has no place in a formula; there are names of sizes and "
            f"arguments, + - * // %, x.stride(0), x.size(0), x.shape[0], x.numel() and "
            f"{', '.join(f'{f}()' for f in FUNCTIONS)}",
        )
    return tree


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


def _made_of_values(name: str, rest: Sequence[_Token]) -> ValuesArgument | None:
    words = [token.text for token in rest]
    is_made = len(words) == 4 and words[0] in MADE_OF_VALUES and words[2].isidentifier()
    return ValuesArgument(name, words[0], words[2]) if is_made else None


def _is_formula(rest: Sequence[_Token]) -> bool:
    """Whether there is an operator, a call or an attribute: no other form has one."""
    if any(t.kind == "bad" and t.text in "+-*/%." for t in rest):
        return True
    return any(
        one.kind == "name" and one.text != "in" and (two.text == "(" or two.kind == "number")
        for one, two in zip(rest, rest[1:], strict=False)
    )


class _Parser:
    """Recursive descent; every error carries the column it was found at."""

    def __init__(self, text: str, origin: Origin) -> None:
        self.origin = origin
        self.columns: dict[str, int] = {}
        self.facts: list[Fact] = []
        self.position = 0
        self.tokens = [
            _Token(str(m.lastgroup), m.group(str(m.lastgroup)), m.start(str(m.lastgroup)))
            for m in _TOKEN.finditer(text)
        ] + [_Token("end", "", len(text))]

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def fail(self, wanted: str, token: _Token | None = None) -> NoReturn:
        token = token or self.token
        found = f"`{token.text}`" if token.text else "the end"
        error = self.origin.error(token.column, f"expected {wanted}, found {found}")
        raise VerificationError(f"{error}\nWrite for example: {EXAMPLE}")

    def take(self) -> _Token:
        token = self.token
        self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if self.token.kind in ("mark", "range", "dots", "name") and self.token.text == text:
            self.position += 1
            return True
        return False

    def expect(self, text: str, wanted: str) -> None:
        if not self.accept(text):
            self.fail(wanted)

    def name(self, wanted: str) -> str:
        if self.token.kind != "name":
            self.fail(wanted)
        return self.take().text

    def arguments(self) -> tuple[Argument, ...]:
        found = []
        while self.token.kind != "end":
            if self.is_fact():
                self.facts.append(self.fact())
                if not self.accept(","):
                    break
                continue
            start = self.token
            name = self.name("the name of a parameter")
            if name in self.columns:
                raise self.origin.error(start.column, f"`{name}` is given twice")
            self.columns[name] = start.column
            self.expect(":", f"`:` after `{name}`")
            found.append(self.argument(name))
            if self.token.kind == "end":
                break
            self.expect(",", f"`,` or the end after `{found[-1]}`")
        if self.token.kind != "end":
            self.fail("`,` or the end")
        if not found and not self.facts:
            self.fail("at least one argument")
        return tuple(found)

    def is_fact(self) -> bool:
        """Whether a comparison stands here: everything else begins with `NAME:`."""
        rest = self.rest()
        return not any(t.text == ":" for t in rest[1:2]) and any(t.text in "<>=!" for t in rest)

    def fact(self) -> Fact:
        start = self.token.column
        text = self.sizes_until(len(self.rest()), start)
        if not is_comparison(text):
            raise self.origin.error(start, "a comparison of sizes is expected here: `n % 16 == 0`")
        return Fact(text)

    def sizes_until(self, count: int, start: int) -> str:
        """An expression of sizes, of so many tokens."""
        self.position += count
        text = self.origin.text[start : self.token.column].strip()
        wrong = strange(text)
        if wrong is not None:
            raise self.origin.error(start + wrong[0], wrong[1])
        return text

    def argument(self, name: str) -> Argument:
        if self.begins_tensors():
            return self.tensors(name)
        if self.is_tensor() and LONG_NAMES.get(self.token.text, self.token.text) in DTYPES:
            return self.tensor(name)
        if made := _made_of_values(name, self.rest()):
            self.position += 4
            return made
        if _is_formula(self.rest()):
            return FormulaArgument(name, self.formula())
        if self.accept("="):
            return SameArgument(name, self.name("the name of the tensor to pass again"))
        if self.token.text in ("(", "[") and self.is_tensor(self.position + 1):
            return self.tensors(name)
        if self.accept("("):
            return self.tuple_of_sizes(name)
        if self.token.kind == "name":
            word = self.token.text
            if word == "int":
                self.take()
                return self.whole_number(name)
            if word in ("None", "True", "False"):
                return self.choice(name)
            if self.is_tensor():
                return self.tensor(name)
            self.take()
            if word == "bool":
                return ChoiceArgument(name, (False, True))
            if word == "float":
                return ChoiceArgument(name, (0.5, 1.0, 2.0))
            return SizeArgument(name, (word,))
        return self.choice(name)

    def rest(self) -> list[_Token]:
        """The tokens up to the comma that ends the argument."""
        depth = 0
        for at in range(self.position, len(self.tokens)):
            text = self.tokens[at].text
            depth += (text in ("(", "[")) - (text in (")", "]"))
            if self.tokens[at].kind == "end" or (text == "," and depth == 0):
                return self.tokens[self.position : at]
        return []

    def begins_tensors(self) -> bool:
        if self.token.text not in ("(", "[") or not self.is_tensor(self.position + 1):
            return False
        word = self.tokens[self.position + 1].text
        return LONG_NAMES.get(word, word) in DTYPES

    def formula(self) -> str:
        start = self.token.column
        for _ in self.rest():
            self.take()
        text = self.origin.text[start : self.token.column].rstrip()
        check_formula(text, self.origin, start)
        return text

    def is_tensor(self, at: int | None = None) -> bool:
        """A type name followed, after alternatives, by `[`."""
        at = self.position if at is None else at
        while self.tokens[at].kind == "name" and self.tokens[at + 1].text == "|":
            at += 2
        return self.tokens[at].kind == "name" and self.tokens[at + 1].text == "["

    def tensor(self, name: str) -> TensorArgument:
        dtypes = [self.dtype()]
        while self.accept("|"):
            dtypes.append(self.dtype())
        self.expect("[", "`[` and the dimensions")
        shape: list[Dimension] = []
        while not self.accept("]"):
            if shape:
                self.expect(",", "`,` or `]`")
            if self.token.kind == "dots":
                if shape:
                    self.fail("`...` as the first dimension only")
                self.take()
                shape.append("...")
            else:
                shape.append(self.size_or_formula((",", "]")))
        low: Bound = 0
        high: Bound | None = None
        kind = ""
        if self.accept("in"):
            if self.token.text not in VALUE_CLASSES:
                low = self.size_or_formula(("..",))
                self.expect("..", f"`..` between the bounds, or one of {', '.join(VALUE_CLASSES)}")
                high = self.size_or_formula((",", "]", ")", "|", *VALUE_CLASSES))
            kind = self.value_class(dtypes)
        instead = []
        while self.accept("|"):
            if self.token.kind != "number" and self.token.text != "None":
                self.fail("`None` or a number: a tensor has one form")
            instead.append(self.plain())
        found = TensorArgument(name, tuple(dtypes), tuple(shape), low=low, high=high, kind=kind)
        numbers = tuple(v for v in instead if isinstance(v, (int, float)))
        return replace(found, optional=None in instead, numbers=numbers)

    def value_class(self, dtypes: list[str]) -> str:
        """The class of values that stands here, if one does."""
        token = self.token
        if token.text not in VALUE_CLASSES:
            return ""
        known = FLOAT_CLASSES if all(d in FLOATS for d in dtypes) else WHOLE_CLASSES
        if token.text not in known:
            self.fail(f"what {dtypes[0]} can be: {', '.join(known)}")
        return self.take().text

    def size_or_formula(self, ends: tuple[str, ...]) -> Dimension:
        """A size, a name, or a formula up to one of the tokens that may end it."""
        start, depth, count = self.token.column, 0, 0
        for token in self.tokens[self.position :]:
            if token.kind == "end" or (depth == 0 and token.text in ends):
                break
            depth += (token.text == "(") - (token.text == ")")
            count += 1
        if count < 2 or not any(
            t.kind in ("bad", "number") or t.text == "("
            for t in self.tokens[self.position + 1 : self.position + count]
        ):
            return self.dimension()
        return self.sizes_until(count, start)

    def tensors(self, name: str) -> SequenceArgument:
        as_tuple = self.take().text == "("
        end = ")" if as_tuple else "]"
        found: list[TensorArgument] = []
        more = False
        while not self.accept(end):
            if found:
                self.expect(",", f"`,` or `{end}`")
                more = self.accept("...")
                if more:
                    self.expect(end, f"`{end}`: after `...` nothing else can stand")
                if more or self.accept(end):
                    break
            start = self.token
            found.append(self.tensor(name))
            if found[-1].instead:
                self.fail("a tensor alone: those of a list are all there", start)
        return SequenceArgument.of(name, found, more=more, as_tuple=as_tuple)

    def dtype(self) -> str:
        token = self.token
        word = LONG_NAMES.get(token.text, token.text)
        if word not in DTYPES:
            self.fail(f"a type of tensor ({', '.join(DTYPES)})")
        self.take()
        return word

    def dimension(self) -> Dimension:
        if self.token.kind == "number":
            return self.integer()
        return self.name("a dimension: a name or an integer")

    def integer(self) -> int:
        try:
            value = int(self.token.text)
        except ValueError:
            self.fail("an integer")
        self.take()
        return value

    def whole_number(self, name: str) -> RangeArgument:
        self.expect("in", "`in LOW..HIGH` after `int` (as in `dim: int in 0..1`)")
        low = self.integer()
        self.expect("..", "`..` between the bounds")
        start = self.token
        high = self.integer()
        if high < low:
            self.fail(f"a number of at least {low}", start)
        return RangeArgument(name, low, high)

    def tuple_of_sizes(self, name: str) -> SizeArgument:
        sizes: list[Dimension] = []
        while not self.accept(")"):
            if sizes:
                self.expect(",", "`,` or `)`")
                if self.accept(")"):
                    break
            sizes.append(self.dimension())
        return SizeArgument(name, tuple(sizes), as_tuple=True)

    def choice(self, name: str) -> ChoiceArgument:
        values = [self.plain()]
        while self.accept("|"):
            values.append(self.plain())
        return ChoiceArgument(name, tuple(values))

    def plain(self) -> object:
        token = self.token
        if token.kind == "number" and token.text.lstrip("+-") in ("inf", "nan"):
            self.take()
            return float(token.text)
        if token.kind == "type":
            word = token.text.partition(".")[2]
            if LONG_NAMES.get(word, word) not in DTYPES:
                self.fail(f"a type of torch ({', '.join(DTYPES)} and their long names)")
            self.take()
            return TorchType(LONG_NAMES.get(word, word))
        if token.kind in ("number", "text") or token.text in ("None", "True", "False"):
            self.take()
            value: object = ast.literal_eval(token.text.lstrip("+"))
            return value
        self.fail("a type with dimensions (f32[m, n]), a value, `bool`, `int in 0..1` or `=other`")
