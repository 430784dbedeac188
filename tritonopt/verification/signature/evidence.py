"""What the code of a launcher says of its parameters, in abstract values."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from tritonopt import source
from tritonopt.facts.host import torch_api
from tritonopt.source.parsing import parsed
from tritonopt.verification.signature.argument_language import DTYPES, Dimension
from tritonopt.verification.signature.documented import DocumentedShape, documented_shapes
from tritonopt.verification.signature.launchers import Launcher

DEFAULT_DTYPES = ("f32", "f16", "bf16")


@dataclass(frozen=True)
class Tensor:
    """A parameter, or something of its shape."""

    name: str
    form: str = "same"
    """`same`; `rows`: viewed as [-1, last]; `flat`: viewed as [-1]."""
    itself: bool = True
    """False for an allocation of its shape: what is asked of that says nothing of strides."""


@dataclass(frozen=True)
class View:
    """The memory of a parameter with other dimensions; whoever asks for its strides asks for
    those of the parameter."""

    name: str


@dataclass(frozen=True)
class Size:
    """One dimension of a parameter; negative from the end."""

    name: str
    axis: int


@dataclass(frozen=True)
class Sum:
    """A size and a number: `width - 1`."""

    size: Size
    by: int


@dataclass(frozen=True)
class Count:
    """The number of elements of a parameter."""

    name: str


@dataclass(frozen=True)
class Shape:
    name: str
    form: str


@dataclass(frozen=True)
class Rank:
    name: str


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Packed:
    """What a launcher takes as `*args`: the parameters in it."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Options:
    """What a launcher takes as `**kwargs`: the parameters in it."""

    names: frozenset[str]


Value = Tensor | View | Size | Sum | Count | Shape | Rank | Number | Packed | Options | None


@dataclass
class Evidence:
    """What the code says of one parameter."""

    tensor: bool = False
    rank: int | None = None
    least_rank: int = 0
    from_start: bool = False
    """A dimension is counted from the first one: more of them before it would be others."""
    ragged: bool = False
    """Any number of leading dimensions will do."""
    merged: bool = False
    """What comes behind its first dimensions is viewed as one: `x.view(m, groups, -1)`."""
    strided: bool = False
    """The code looks at the strides, or makes the tensor contiguous itself."""
    stride_axes: set[int] = field(default_factory=set)
    """Dimensions whose stride the code asks for, one by one."""
    any_strides: bool = False
    """The code copes with every layout: it takes all strides, or makes a contiguous copy."""
    contiguous: bool = False
    dtypes: tuple[str, ...] | None = None
    whole: bool = False
    """A kernel makes addresses of what it holds."""
    used: bool = False
    annotated: tuple[Dimension, ...] | None = None
    documented: DocumentedShape | None = None
    """What a comment or a docstring says of its shape."""
    optional: bool = False
    """None may be passed: the annotation says so, or the code asks whether it was."""
    told_from_number: bool = False
    """The code asks whether it is a tensor, or whether it is a number."""
    several: bool = False
    """A list or a tuple of tensors; the rest is then said of every one of them."""
    as_tuple: bool = False
    places: int = 0
    """As a list: so many of its places are asked for, `output_mask[2]`."""
    compared: list[object] = field(default_factory=list)
    """Plain values that the code compares the parameter with."""
    option: str = ""
    """The option of a launch that it is: `num_warps`."""

    @property
    def shaped(self) -> bool:
        """Whether the code asks for dimensions, sizes or strides."""
        return bool(self.rank is not None or self.least_rank or self.ragged or self.strided)


class Findings:
    """Evidence and equations, collected while a launcher is read."""

    def __init__(self, module: source.Module, launcher: Launcher) -> None:
        self.module = module
        self.evidence = {p.arg: Evidence() for p in launcher.parameters}
        self.equations: list[tuple[Value, Value]] = []
        self.alike: list[tuple[str, str]] = []
        """Pairs of parameters of one shape."""
        self.names: dict[Size, str] = {}
        """What the code calls a size."""
        self.hints: dict[str, list[Value]] = {}
        """Sizes that kernels show for pointers: parameter to its number of elements."""
        for parameter in launcher.parameters:
            _annotation(module, parameter, self.evidence[parameter.arg])
        for name, shape in documented_shapes(module, launcher).items():
            self.evidence[name].documented = shape
        for name, value in _told_apart_by_kernels(module):
            if name in self.evidence:
                self.evidence[name].compared.append(value)
        for launch in module.launches:
            for option, passed in launch.options.items():
                name = passed.id if isinstance(passed, ast.Name) else ""
                if launch.launcher is launcher.function and name in self.evidence:
                    self.evidence[name].option = option

    def is_list(self, value: Value) -> TypeGuard[Tensor]:
        return isinstance(value, Tensor) and self.evidence[value.name].several

    def told_apart(self, value: Value, others: Iterable[ast.expr]) -> None:
        """The code does one thing or another by these values of a parameter."""
        if not isinstance(value, Tensor):
            return
        for element in others:
            plain = _plain_value(element)
            if plain is not None:
                self.evidence[value.name].compared.append(plain)

    def set_rank(self, name: str, rank: int) -> None:
        self.evidence[name].tensor = True
        self.evidence[name].rank = rank

    def size(self, name: str, axis: int) -> Size:
        evidence = self.evidence[name]
        evidence.tensor = True
        evidence.from_start |= axis >= 0
        evidence.least_rank = max(evidence.least_rank, axis + 1 if axis >= 0 else -axis)
        return Size(name, axis)

    def axis(self, name: str, form: str, axis: int) -> Value:
        if form == "same":
            return self.size(name, axis)
        if form == "rows" and axis in (1, -1):
            return self.size(name, -1)
        return Count(name) if form == "flat" else None


def _plain_value(node: ast.expr) -> str | int | float | None:
    """A string or a number that the text gives, `-1`, `math.inf` and `float("-inf")` included."""
    match node:
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            found = _plain_value(operand)
            return None if found is None or isinstance(found, str) else -found
        case ast.Attribute(value=ast.Name(id="math" | "torch" | "np" | "numpy"), attr="inf"):
            return math.inf
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]):
            return {"inf": math.inf, "-inf": -math.inf}.get(text)
    return None


def _told_apart_by_kernels(module: source.Module) -> Iterator[tuple[str, int | float]]:
    """Numbers that kernels compare a parameter with: a launcher mostly calls it the same."""
    for kernel in module.kernels:
        parameters = {p.name for p in kernel.parameters}
        for node in ast.walk(kernel.node):
            match node:
                case ast.Compare(
                    left=ast.Name(id=name),
                    ops=[ast.Eq() | ast.NotEq()],
                    comparators=[ast.Constant(value=int() | float() as value)],
                ) if name in parameters and not isinstance(value, bool):
                    yield name, value


_JAXTYPING = {
    **{
        kind: (short,)
        for kind, dtype in torch_api.JAXTYPING.items()
        if (short := torch_api.letters(dtype)) in DTYPES
    },
    **dict.fromkeys(("Float", "Shaped", "Num"), DEFAULT_DTYPES),
    "Int": ("i64", "i32"),
}
"""What is drawn for an annotation of jaxtyping."""


def _annotation(module: source.Module, parameter: ast.arg, evidence: Evidence) -> None:
    node = parameter.annotation
    if node is None:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = parsed(node.value, mode="eval").body
        except SyntaxError:
            return
    text = ast.unparse(node)
    evidence.optional |= "None" in text or "Optional" in text
    if "Tensor" not in text:
        return
    several = re.search(r"\b(list|tuple|sequence|iterable)\b", text, re.IGNORECASE)
    if several:
        evidence.several = True
        evidence.as_tuple = not re.search(r"\b(list|sequence|iterable)\b", text, re.IGNORECASE)
    evidence.tensor = not several and bool(re.search(r"\bTensor\b", text))
    for part in ast.walk(node):
        if not isinstance(part, ast.Subscript) or not isinstance(part.slice, ast.Tuple):
            continue
        kind = ast.unparse(part.value).rpartition(".")[2]
        last = part.slice.elts[-1]
        if kind in _JAXTYPING and isinstance(last, ast.Constant) and isinstance(last.value, str):
            evidence.dtypes = _JAXTYPING[kind]
            evidence.annotated = tuple(_jaxtyping_dimensions(last.value))


def _jaxtyping_dimensions(text: str) -> Iterator[Dimension]:
    for word in text.split():
        word = word.rpartition("=")[2]
        if word == "..." or word.startswith("*"):
            yield "..."
        elif word.isdigit():
            yield int(word)
        else:
            yield word.strip("#_").lower() or "any"
