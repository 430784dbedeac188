"""One walk over the statements of a launcher that collects evidence and equations."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from tritonopt import source
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.truths import checked, conjuncts
from tritonopt.source.parsing import parsed
from tritonopt.verification.signature.argument_language import DTYPES, LONG_NAMES, Dimension
from tritonopt.verification.signature.documented import DocumentedShape, documented_shapes
from tritonopt.verification.signature.kernel_launcher import index_pointers, pointers
from tritonopt.verification.signature.launchers import Launcher, Launchers

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
    bound: Dimension | None = None
    """Below what every index into it is, as masks of kernels show: then it is a vector."""

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


def findings(launchers: Launchers, launcher: Launcher) -> Findings:
    """What the statements of a launcher say of its parameters."""
    walk = _Walk(launchers, launcher)
    scope: Scope = {name: Tensor(name) for name in walk.found.evidence}
    if launcher.packed and launcher.function.args.vararg is not None:
        scope[launcher.function.args.vararg.arg] = Packed(tuple(a.arg for a in launcher.packed))
    if launcher.options and launcher.function.args.kwarg is not None:
        scope[launcher.function.args.kwarg.arg] = Options(frozenset(launcher.options))
    walk.block(launcher.function.body, scope)
    return walk.found


class _Walk:
    """The statements of a launcher, in their order."""

    def __init__(self, launchers: Launchers, launcher: Launcher) -> None:
        self.module = launchers.module
        self.found = Findings(launchers.module, launcher)
        self.values = Values(launchers, launcher, self.found, self.block)

    def block(self, body: list[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return
        if isinstance(node, ast.If):
            self.values.of(node.test, scope)
        known = checked(self.module, node)
        if known is not None:
            for part, holds in conjuncts(*known):
                self.condition(part, holds, scope)
            if isinstance(node, ast.If):
                # What it compares before it raises may have returned.
                self.block(node.body[:-1], dict(scope))
                self.block(node.orelse, scope)
        elif isinstance(node, ast.If):
            self.branches(node, scope)
        elif isinstance(node, (ast.For, ast.While, ast.With, ast.Try)):
            if isinstance(node, ast.For):
                self.values.bind(node.target, node.iter, scope)
            elif isinstance(node, ast.While):
                self.values.of(node.test, scope)
            self.block([*node.body, *getattr(node, "finalbody", [])], scope)
        elif isinstance(node, ast.Match):
            self.match(node, scope)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                self.assign(target, node.value, scope)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.values.of(child, scope)

    def match(self, node: ast.Match, scope: Scope) -> None:
        subject = self.values.of(node.subject, scope)
        for case in node.cases:
            patterns = [p.value for p in ast.walk(case.pattern) if isinstance(p, ast.MatchValue)]
            self.found.told_apart(subject, patterns)
            self.block(case.body, dict(scope))

    def branches(self, node: ast.If, scope: Scope) -> None:
        """Both sides; a name that one side makes unknown keeps what the other knows of it."""
        taken, other = dict(scope), dict(scope)
        self.block(node.body, taken)
        self.block(node.orelse, other)
        if node.body and isinstance(node.body[-1], ast.Return):
            taken = {}
        for name in taken.keys() | other.keys():
            value = other.get(name)
            scope[name] = taken.get(name) if value is None else value

    def assign(self, target: ast.expr, expr: ast.expr, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            value = self.values.of(expr, scope)
            scope[target.id] = value
            if isinstance(value, Size):
                self.found.names.setdefault(value, target.id.lower())
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            self.values.of(expr, scope)
            return
        pairs = _taken_apart(target, expr)
        if pairs:
            for inner, inner_value in pairs:
                self.assign(inner, inner_value, scope)
            return
        value = self.values.of(expr, scope)
        parts: list[Value] = [None] * len(target.elts)
        if isinstance(value, Packed):
            parts = [self.values.packed(value, at) for at in range(len(value.names))][: len(parts)]
            parts += [None] * (len(target.elts) - len(parts))
        if isinstance(value, Shape) and value.form == "same":
            starred = [i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)]
            if starred:
                self.found.evidence[value.name].ragged = True
            else:
                self.found.set_rank(value.name, len(parts))
            for i in (i for i in range(len(parts)) if i not in starred[:1]):
                from_end = bool(starred) and i > starred[0]
                parts[i] = self.found.size(value.name, i - len(parts) * from_end)
        elif isinstance(value, Shape) and value.form == "rows" and len(parts) == 2:
            parts[1] = self.found.size(value.name, -1)
        for element, part in zip(target.elts, parts, strict=True):
            if isinstance(element, ast.Name):
                scope[element.id] = part
                if isinstance(part, Size) and element.id.strip("_"):
                    self.found.names.setdefault(part, element.id.lower())

    # What holds from here on

    def condition(self, test: ast.expr, holds: bool, scope: Scope) -> None:
        if isinstance(test, ast.Compare):
            self.values.compare(test, scope)
            operands = [test.left, *test.comparators]
            for i, op in enumerate(test.ops):
                wanted = ast.Eq if holds else ast.NotEq
                if isinstance(op, wanted) and (holds or len(test.ops) == 1):
                    self.equate(operands[i], operands[i + 1], scope)
                elif isinstance(op, ast.In if holds else ast.NotIn):
                    self.dtype(operands[i], operands[i + 1], scope)
        elif isinstance(test, ast.Call):
            self.values.of(test, scope)
            called = test.func
            if holds and isinstance(called, ast.Attribute) and called.attr == "is_contiguous":
                owner = self.values.of(called.value, scope)
                if isinstance(owner, Tensor) and owner.itself:
                    self.found.evidence[owner.name].contiguous = True
        else:
            self.values.of(test, scope)

    def equate(self, left: ast.expr, right: ast.expr, scope: Scope) -> None:
        self.dtype(left, ast.Tuple([right], ast.Load()), scope)
        for one, other in ((left, right), (right, left)):
            value = self.values.of(one, scope)
            elements = elements_of(other)
            if isinstance(value, Shape) and value.form == "same" and elements is not None:
                self.found.set_rank(value.name, len(elements))
                for axis, element in enumerate(elements):
                    self.found.equations.append(
                        (self.found.size(value.name, axis), self.values.of(element, scope))
                    )
                return
        first, second = self.values.of(left, scope), self.values.of(right, scope)
        if isinstance(first, Shape) and isinstance(second, Shape):
            self.found.alike.append((first.name, second.name))
        elif isinstance(first, Rank) and isinstance(second, Number):
            self.found.set_rank(first.name, second.value)
        elif isinstance(first, Rank) and isinstance(second, Rank):
            return
        elif first is not None and second is not None:
            self.found.equations.append((first, second))

    def dtype(self, left: ast.expr, right: ast.expr, scope: Scope) -> None:
        """`x.dtype == torch.float32`, `x.dtype in (...)`."""
        if not (isinstance(left, ast.Attribute) and left.attr == "dtype"):
            return
        owner = self.values.of(left.value, scope)
        elements = elements_of(right)
        if not isinstance(owner, Tensor) or elements is None:
            return
        names = [self.module.resolve(e).rpartition(".")[2] for e in elements]
        known = tuple(LONG_NAMES[n] for n in names if n in LONG_NAMES)
        if known:
            self.found.evidence[owner.name].dtypes = known


def _taken_apart(target: ast.Tuple | ast.List, expr: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What each name of a target gets, of `b, t, k, v = *x.shape, n` the first three together."""
    names = target.elts
    if not isinstance(expr, (ast.Tuple, ast.List)):
        return []
    starred = [at for at, e in enumerate(expr.elts) if isinstance(e, ast.Starred)]
    if not starred and len(names) == len(expr.elts):
        return [*zip(names, expr.elts, strict=True)]
    if len(starred) != 1 or any(isinstance(e, ast.Starred) for e in names):
        return []
    first, rest = starred[0], expr.elts[starred[0]]
    last = len(names) - (len(expr.elts) - 1 - first)
    if not isinstance(rest, ast.Starred) or last < first:
        return []
    several = ast.Tuple(names[first:last], ast.Store())
    return [
        *zip(names[:first], expr.elts[:first], strict=True),
        (several, rest.value),
        *zip(names[last:], expr.elts[first + 1 :], strict=True),
    ]


# What an expression of a launcher is worth: a parameter, a view of it, its sizes, a number.

_FEW_CALLS = 4
_TOLD_FROM_NUMBERS = {"Tensor", "is_tensor", "Number", "float"}
"""Words in a test of what a parameter is, by which it may be a tensor at times: not `int`, by which
one dimension is told from several."""

_OF_NUMBERS = ("bit_length", "bit_count", "is_integer")
"""Methods that Python's numbers have, and tensors have not."""

Scope = dict[str, Value]
"""What the names of a function are worth."""


class Values:
    """The expressions of one launcher, and of the functions of its file that it calls."""

    def __init__(
        self,
        launchers: Launchers,
        launcher: Launcher,
        found: Findings,
        block: Callable[[list[ast.stmt], Scope], None],
    ) -> None:
        """`block` reads the statements of a function that is called."""
        self.launchers = launchers
        self.module = launchers.module
        self.launcher = launcher
        self.found = found
        self._block = block
        self._launches = {id(launch.call): launch for launch in self.module.launches}
        self._depth = 0

    def of(self, node: ast.expr, scope: Scope) -> Value:
        if isinstance(node, ast.Name):
            value = scope.get(node.id)
            if isinstance(value, Tensor):
                self.found.evidence[value.name].used = True
            return value
        if isinstance(node, ast.Constant):
            whole = isinstance(node.value, int) and not isinstance(node.value, bool)
            return Number(node.value) if whole else None  # type: ignore[arg-type]  # just tested
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.of(node.operand, scope)
            return Number(-inner.value) if isinstance(inner, Number) else None
        if isinstance(node, ast.Attribute):
            return self.attribute(node, scope)
        if isinstance(node, ast.Subscript):
            return self.subscript(node, scope)
        if isinstance(node, ast.Call):
            return self.call(node, scope)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            inside = dict(scope)
            for loop in node.generators:
                self.bind(loop.target, loop.iter, inside)
            element = self.of(node.elt, inside)
            # A list of what a list holds: `[x.to(dtype) for x in tensors]`.
            return element if self.found.is_list(element) else None
        if isinstance(node, ast.IfExp):
            self.of(node.test, scope)
            return self.either([node.body, node.orelse], scope)
        if isinstance(node, ast.BoolOp):
            return self.either(node.values, scope)
        if isinstance(node, ast.BinOp):
            self.rows(node, scope)
            return _sum(self, node, scope)
        if isinstance(node, ast.Compare):
            self.compare(node, scope)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.of(child, scope)
        return None

    def bind(self, target: ast.expr, iterated: ast.expr, scope: Scope) -> None:
        """The target of a loop: a tensor of the list, where it runs over one, or an argument."""
        value = self.of(iterated, scope)
        if isinstance(value, Packed):
            value = self.packed(value, 0)  # the first one stands for all
        elif not self.found.is_list(value):
            value = None
        if isinstance(target, ast.Name):
            scope[target.id] = value

    def rows(self, node: ast.BinOp, scope: Scope) -> None:
        """`x.numel() // x.shape[-1]`: rows are counted over whatever dimensions come first.

        So they are by what is computed from a size, which is no number: `x.numel() // (2 * half)`.
        """
        if isinstance(node.op, ast.FloorDiv):
            count, length = self.of(node.left, scope), self.of(node.right, scope)
            by_rows = length is None or (isinstance(length, Size) and length.axis == -1)
            if isinstance(count, Count) and by_rows:
                self.found.evidence[count.name].ragged = True

    def either(self, nodes: Iterable[ast.expr], scope: Scope) -> Value:
        """One of several values: of `scale if scale is not None else x` it is `scale`."""
        found = [v for n in nodes if (v := self.of(n, scope)) is not None]
        left_out = (v for v in found if isinstance(v, Tensor) and v.name in self.launcher.defaults)
        return next(left_out, found[0] if found else None)

    def attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        owner = self.of(node.value, scope)
        if isinstance(owner, View) or (
            isinstance(owner, Tensor) and node.attr in torch_api.STRIDED_VIEWS
        ):
            return View(owner.name) if node.attr in torch_api.STRIDED_VIEWS else None
        if not isinstance(owner, Tensor):
            return None
        if owner.itself and node.attr in ("shape", "ndim", "dtype", "device", "is_cuda", "data"):
            self.found.evidence[owner.name].tensor = True
        if node.attr == "shape":
            return Shape(owner.name, owner.form)
        if node.attr == "ndim":
            return Rank(owner.name)
        return owner if node.attr == "data" else None

    def subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        owner = self.of(node.value, scope)
        index = self.of(node.slice, scope) if isinstance(node.slice, ast.expr) else None
        if isinstance(owner, Packed):
            count = len(owner.names)
            known = isinstance(index, Number) and -count <= index.value < count
            return self.packed(owner, index.value) if known else None  # type: ignore[union-attr]
        self.found.told_apart(index, self.keys(node.value))
        if isinstance(owner, Shape):
            if isinstance(index, Number):
                return self.found.axis(owner.name, owner.form, index.value)
            self.found.evidence[owner.name].ragged = True
        if isinstance(owner, Tensor) and isinstance(index, Number):
            evidence = self.found.evidence[owner.name]
            evidence.places = max(evidence.places, index.value + 1)
        return owner if self.found.is_list(owner) else None

    def packed(self, owner: Packed, place: int) -> Value:
        """One of the arguments in `*args`."""
        self.found.evidence[owner.names[place]].used = True
        return Tensor(owner.names[place])

    def call(self, node: ast.Call, scope: Scope) -> Value:
        launch = self._launches.get(id(node))
        if launch is not None:
            self.launch(launch, scope)
            return None
        values = [self.of(a, scope) for a in node.args if not isinstance(a, ast.Starred)]
        for keyword in node.keywords:
            self.of(keyword.value, scope)
        if isinstance(node.func, ast.Name) and node.func.id in ("tuple", "list", "int", "str"):
            return values[0] if values else None
        if isinstance(node.func, ast.Name) and node.func.id == "len" and values:
            return Rank(values[0].name) if isinstance(values[0], Shape) else None
        name = self.module.resolve(node.func)
        if values and (name or ast.unparse(node.func)) in ("isinstance", "torch.is_tensor"):
            self.told_from_number(values[0], node)
            return None
        if name.startswith("torch."):
            function = name.rpartition(".")[2]
            like = function.endswith("_like")
            first = values[0] if values else None
            if isinstance(first, (Tensor, View)) and function in torch_api.STRIDED_VIEWS:
                return self.view(first)
            if isinstance(first, Tensor) and function not in torch_api.WITHOUT_TENSOR:
                self.found.evidence[first.name].tensor = True
                return Tensor(first.name, first.form, itself=False) if like else None
            return None
        if isinstance(node.func, ast.Attribute):
            if node.func.attr == "get" and values:
                if (option := _option(node, scope)) is not None:
                    self.found.evidence[option].used = True
                    return Tensor(option)
                self.found.told_apart(values[0], self.keys(node.func.value))
            owner = self.of(node.func.value, scope)
            if isinstance(owner, (Tensor, View)) and node.func.attr in torch_api.STRIDED_VIEWS:
                return self.view(owner)
            if isinstance(owner, View):
                return self.method_of_view(owner, node.func.attr)
            if isinstance(owner, Tensor):
                return self.method(owner, node, values)
        self.enter(node, values, scope)
        return None

    def view(self, owner: Tensor | View) -> Value:
        if isinstance(owner, View):
            return owner
        # What is allocated in the shape of a parameter has strides of its own.
        self.found.evidence[owner.name].tensor |= owner.itself
        return View(owner.name) if owner.itself and owner.form == "same" else None

    def method_of_view(self, owner: View, name: str) -> Value:
        if name in ("stride", "contiguous"):
            evidence = self.found.evidence[owner.name]
            evidence.strided = evidence.any_strides = True
        return owner if name in torch_api.SAME_SHAPE or name == "requires_grad_" else None

    def method(self, owner: Tensor, node: ast.Call, values: list[Value]) -> Value:
        assert isinstance(node.func, ast.Attribute)
        name = node.func.attr
        if name in ("lower", "upper", "strip"):
            return owner  # what it is compared with is said of the parameter
        evidence = self.found.evidence[owner.name]
        if owner.itself and name not in _OF_NUMBERS:
            evidence.tensor = True
        first = values[0] if values else None
        if name in ("stride", "contiguous") and owner.itself:
            evidence.strided = True
            if name == "stride" and isinstance(first, Number):
                evidence.stride_axes.add(first.value)
            else:
                evidence.any_strides = True
        if name in ("stride", "size"):
            if isinstance(first, Number):
                found = self.found.axis(owner.name, owner.form, first.value)
                return found if name == "size" else None
            return Shape(owner.name, owner.form) if name == "size" else None
        if name == "numel":
            return Count(owner.name)
        if name in ("dim", "ndimension"):
            return Rank(owner.name)
        if name in torch_api.SAME_SHAPE or name == "requires_grad_":
            return owner
        if name in ("view", "reshape", "flatten"):
            several = len(values) > 1 and first != Number(-1)
            evidence.merged |= several and values[-1] == Number(-1) and owner.form == "same"
            if len(values) == 2 and first == Number(-1):
                evidence.ragged = True
                self.found.equations.append((self.found.size(owner.name, -1), values[1]))
                return Tensor(owner.name, "rows")
            if name == "flatten" or (len(values) == 1 and first == Number(-1)):
                evidence.ragged = True
                return Tensor(owner.name, "flat")
            return None
        return None

    def told_from_number(self, value: Value, test: ast.Call) -> None:
        """Remember that a parameter is asked whether it is a tensor, or a number."""
        kinds = {ast.unparse(n).rpartition(".")[2] for n in ast.walk(test)}
        if isinstance(value, Tensor) and value.itself and kinds & _TOLD_FROM_NUMBERS:
            self.found.evidence[value.name].told_from_number = True

    def compare(self, test: ast.Compare, scope: Scope) -> None:
        """Remember the plain values that a parameter is compared with (`mode == "mean"`)."""
        left = test.left
        while isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute):
            left = left.func.value  # `mode.lower() == "mean"`
        value = scope.get(left.id) if isinstance(left, ast.Name) else None
        if isinstance(value, Tensor) and value.itself and _asks_for_none(test):
            self.found.evidence[value.name].optional = True
        for other in test.comparators:
            self.found.told_apart(value, elements_of(other) or self.keys(other) or [other])

    def keys(self, node: ast.expr) -> list[ast.expr]:
        """The keys of a dictionary that is written out, here or at the top of the file."""
        if isinstance(node, ast.Name):
            for statement in self.module.tree.body:
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
                    names = [t.id for t in statement.targets if isinstance(t, ast.Name)]
                    if node.id in names:
                        return self.keys(statement.value)
        return [k for k in node.keys if k is not None] if isinstance(node, ast.Dict) else []

    def enter(self, node: ast.Call, values: list[Value], scope: Scope) -> None:
        """Walk into a function of the same file, with what is known of its arguments."""
        found = self.launchers.function_called(node.func)
        if found is None or self._depth >= _FEW_CALLS or len(values) != len(node.args):
            return
        function, positional = found
        inner: Scope = dict(zip(positional, values, strict=False))
        for keyword in node.keywords:
            if keyword.arg is not None:
                inner[keyword.arg] = self.of(keyword.value, scope)
        self._depth += 1
        self._block(function.body, inner)
        self._depth -= 1

    def launch(self, launch: source.Launch, scope: Scope) -> None:
        given = {name: self.of(e, scope) for name, e in launch.arguments.items()}
        starred = (a.value for a in launch.call.args if isinstance(a, ast.Starred))
        for expr in (*launch.options.values(), *starred):
            self.of(expr, scope)
        for test in (n for n in ast.walk(launch.kernel.node) if isinstance(n, ast.Compare)):
            if isinstance(test.left, ast.Name):
                self.found.told_apart(given.get(test.left.id), test.comparators)
        grid = elements_of(launch.grid) or []
        for axis, expr in enumerate(grid):
            given[f"program {axis}"] = self.of(expr, scope)
        for parameter, bound in pointers(launch.kernel).items():
            value = given.get(parameter)
            if not isinstance(value, Tensor) or not value.itself:
                continue
            evidence = self.found.evidence[value.name]
            evidence.tensor = True
            evidence.whole |= parameter in index_pointers(launch.kernel)
            if bound is not None and given.get(bound) is not None:
                self.found.hints.setdefault(value.name, []).append(given[bound])


def _option(node: ast.Call, scope: Scope) -> str | None:
    """`kwargs.get("approximate", "none")`: the parameter of that name."""
    match node.func, node.args:
        case ast.Attribute(value=ast.Name(id=packed)), [ast.Constant(value=str(name)), *_]:
            owner = scope.get(packed)
            return name if isinstance(owner, Options) and name in owner.names else None
    return None


def _asks_for_none(test: ast.Compare) -> bool:
    """Whether it is `x is None` or `x is not None`."""
    other = test.comparators[0]
    is_none = isinstance(other, ast.Constant) and other.value is None
    return is_none and isinstance(test.ops[0], (ast.Is, ast.IsNot))


def elements_of(node: ast.expr) -> list[ast.expr] | None:
    if isinstance(node, ast.Call) and node.args and not isinstance(node.func, ast.Subscript):
        name = ast.unparse(node.func).rpartition(".")[2]
        return elements_of(node.args[0]) if name in ("Size", "tuple", "list") else None
    return list(node.elts) if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else None


def _sum(values: Values, node: ast.BinOp, scope: Scope) -> Value:
    """`width - 1`: nothing else that is computed from sizes is followed."""
    left, right = values.of(node.left, scope), values.of(node.right, scope)
    if not (isinstance(left, Size) and isinstance(right, Number)):
        return None
    if isinstance(node.op, ast.Add):
        return Sum(left, right.value)
    return Sum(left, -right.value) if isinstance(node.op, ast.Sub) else None
