"""What a launcher has to be called with, read from its annotations and its code.

The launcher's statements are walked once, calls of functions of the same file
included, with a small set of abstract values: tensors that came in, their
sizes, plain numbers. Asserts and guards that raise are equations. What a
kernel does with a bare pointer (`w + cols` under `cols < N`) is used where the
launcher itself says nothing. Nothing is guessed: what cannot be told is asked
for, with the line to write.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from tritonopt import source
from tritonopt.facts.host import torch_api
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import (
    DTYPES,
    LONG_NAMES,
    Argument,
    ChoiceArgument,
    Dimension,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
)
from tritonopt.verification.signature.launchers import Launcher, Launchers, method

DEFAULT_DTYPES = ("f32", "f16", "bf16")
_FEW_CALLS = 4


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


Value = Tensor | View | Size | Count | Shape | Rank | Number | None


@dataclass
class Evidence:
    """What the code says of one parameter."""

    tensor: bool = False
    rank: int | None = None
    least_rank: int = 0
    ragged: bool = False
    """Any number of leading dimensions will do."""
    strided: bool = False
    """The code looks at the strides, or makes the tensor contiguous itself."""
    stride_axes: set[int] = field(default_factory=set)
    """Dimensions whose stride the code asks for, one by one."""
    any_strides: bool = False
    """The code copes with every layout: it takes all strides, or makes a contiguous copy."""
    contiguous: bool = False
    dtypes: tuple[str, ...] | None = None
    used: bool = False
    annotated: tuple[Dimension, ...] | None = None
    optional: bool = False
    """None may be passed: the annotation says so, or the code asks whether it was."""
    several: bool = False
    """A list or a tuple of tensors; the rest is then said of every one of them."""
    as_tuple: bool = False
    compared: list[object] = field(default_factory=list)
    """Plain values that the code compares the parameter with."""

    @property
    def shaped(self) -> bool:
        """Whether the code asks for dimensions, sizes or strides."""
        return bool(self.rank is not None or self.least_rank or self.ragged or self.strided)


@dataclass(frozen=True)
class Reading:
    """What the code says of the arguments, and what it leaves open."""

    launcher: Launcher
    known: tuple[Argument, ...]
    """What could be told, in the order of the parameters."""
    unknown: Mapping[str, str]
    """The other parameters that a call needs, with the beginning of a line to write."""
    evidence: Mapping[str, Evidence]
    ranked: frozenset[str]
    """Tensors whose number of dimensions the code fixes; others have at least as many."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Types of parameters without an annotation, where something else tells them."""

    def kind(self, parameter: ast.arg) -> str:
        """The type of a parameter as it is, or might be, annotated; nothing if unknown."""
        if parameter.annotation is None:
            return self.kinds.get(parameter.arg, "")
        return ast.unparse(parameter.annotation)

    def question(self) -> str:
        """The error that asks for what could not be told."""
        name = self.launcher.name
        known = [str(a) for a in self.known if a.name not in self.unknown]
        asked = [f"{name}: {text}" for name, text in self.unknown.items()]
        line = ", ".join([*known, *asked])
        return (
            f"the arguments of `{name}` cannot all be read from its code: "
            f"{', '.join(f'`{n}`' for n in self.unknown)}. Give them, for example:\n"
            f"  --launcher {name} --args '{line}'\n"
            f"or write the same as a comment above the launcher:\n"
            f"  # tritonopt: {line}"
        )


def read(launchers: Launchers, launcher: Launcher) -> Reading:
    """What can be told of the arguments from the code alone."""
    walk = _Walk(launchers, launcher)
    walk.run()
    return _Solution(launcher, walk).reading()


def infer(launchers: Launchers, launcher: Launcher) -> Signature:
    """The signature; VerificationError says what to write where it cannot be told."""
    reading = read(launchers, launcher)
    if reading.unknown:
        raise VerificationError(reading.question())
    return Signature(reading.known)


def with_layouts(launchers: Launchers, launcher: Launcher, given: Signature) -> Signature:
    """The arguments as given, each tensor with the layouts that the code has an eye on."""
    walk = _Walk(launchers, launcher)
    walk.run()

    def laid_out(argument: Argument) -> Argument:
        evidence = walk.evidence.get(argument.name)
        if evidence is None:
            return argument

        def with_layout(tensor: TensorArgument) -> TensorArgument:
            strided, rows_only = layouts(evidence, len(tensor.shape))
            return replace(tensor, strided=strided, rows_only=rows_only)

        if isinstance(argument, SequenceArgument):
            return argument.with_parts(with_layout)
        return with_layout(argument) if isinstance(argument, TensorArgument) else argument

    return replace(given, arguments=tuple(map(laid_out, given.arguments)))


def layouts(evidence: Evidence, rank: int) -> tuple[bool, bool]:
    """Whether a tensor may be strided, and if so whether its rows must stay as they are."""
    strided = evidence.strided and not evidence.contiguous
    last = bool(evidence.stride_axes & {-1, rank - 1})
    return strided, not (evidence.any_strides or last)


class _Walk:
    """One pass over the launcher that collects evidence and equations."""

    def __init__(self, launchers: Launchers, launcher: Launcher) -> None:
        self.launchers = launchers
        self.module = launchers.module
        self.launcher = launcher
        self.launches = {id(launch.call): launch for launch in self.module.launches}
        self.evidence = {p.arg: Evidence() for p in launcher.parameters}
        self.equations: list[tuple[Value, Value]] = []
        self.alike: list[tuple[str, str]] = []
        self.names: dict[Size, str] = {}
        self.hints: dict[str, list[Value]] = {}
        """Sizes that kernels show for pointers: parameter to its number of elements."""
        self.depth = 0

    def run(self) -> None:
        for parameter in self.launcher.parameters:
            _annotation(self.module, parameter, self.evidence[parameter.arg])
        scope: dict[str, Value] = {name: Tensor(name) for name in self.evidence}
        self.block(self.launcher.function.body, scope)

    # Statements

    def block(self, body: list[ast.stmt], scope: dict[str, Value]) -> None:
        for statement in body:
            self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: dict[str, Value]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return
        if isinstance(node, ast.Assert):
            self.condition(node.test, True, scope)
        elif isinstance(node, ast.If):
            self.value(node.test, scope)
            if node.body and isinstance(node.body[-1], ast.Raise):
                self.condition(node.test, False, scope)
                self.block(node.orelse, scope)
            else:
                self.branches(node, scope)
        elif isinstance(node, ast.For):
            self.bind(node.target, node.iter, scope)
            self.block(node.body, scope)
        elif isinstance(node, ast.While):
            self.value(node.test, scope)
            self.block(node.body, scope)
        elif isinstance(node, ast.With):
            self.block(node.body, scope)
        elif isinstance(node, ast.Try):
            self.block([*node.body, *node.finalbody], scope)
        elif isinstance(node, ast.Match):
            self.match(node, scope)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                self.assign(target, node.value, scope)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child, scope)

    def match(self, node: ast.Match, scope: dict[str, Value]) -> None:
        subject = self.value(node.subject, scope)
        for case in node.cases:
            patterns = [p.value for p in ast.walk(case.pattern) if isinstance(p, ast.MatchValue)]
            self.told_apart(subject, patterns)
            self.block(case.body, dict(scope))

    def branches(self, node: ast.If, scope: dict[str, Value]) -> None:
        """Both sides; a name that one side makes unknown keeps what the other knows of it."""
        taken, other = dict(scope), dict(scope)
        self.block(node.body, taken)
        self.block(node.orelse, other)
        if node.body and isinstance(node.body[-1], ast.Return):
            taken = {}
        for name in taken.keys() | other.keys():
            value = other.get(name)
            scope[name] = taken.get(name) if value is None else value

    def bind(self, target: ast.expr, iterated: ast.expr, scope: dict[str, Value]) -> None:
        """The target of a loop: a tensor of the list, where it runs over one."""
        value = self.value(iterated, scope)
        if isinstance(target, ast.Name):
            scope[target.id] = value if self.is_list(value) else None

    def is_list(self, value: Value) -> TypeGuard[Tensor]:
        return isinstance(value, Tensor) and self.evidence[value.name].several

    def assign(self, target: ast.expr, expr: ast.expr, scope: dict[str, Value]) -> None:
        if isinstance(target, ast.Name):
            value = self.value(expr, scope)
            scope[target.id] = value
            if isinstance(value, Size):
                self.names.setdefault(value, target.id.lower())
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            self.value(expr, scope)
            return
        if isinstance(expr, (ast.Tuple, ast.List)) and len(expr.elts) == len(target.elts):
            for inner, inner_value in zip(target.elts, expr.elts, strict=True):
                self.assign(inner, inner_value, scope)
            return
        value = self.value(expr, scope)
        parts: list[Value] = [None] * len(target.elts)
        if isinstance(value, Shape):
            starred = [isinstance(e, ast.Starred) for e in target.elts]
            if value.form == "same":
                if any(starred):
                    first = starred.index(True)
                    self.evidence[value.name].ragged = True
                    for i in range(first):
                        parts[i] = self.size(value.name, i)
                    for i in range(first + 1, len(parts)):
                        parts[i] = self.size(value.name, i - len(parts))
                else:
                    self.set_rank(value.name, len(parts))
                    parts = [self.size(value.name, i) for i in range(len(parts))]
            elif value.form == "rows" and len(parts) == 2:
                parts[1] = self.size(value.name, -1)
        for element, part in zip(target.elts, parts, strict=True):
            if isinstance(element, ast.Name):
                scope[element.id] = part
                if isinstance(part, Size) and element.id.strip("_"):
                    self.names.setdefault(part, element.id.lower())

    # Conditions that hold from here on

    def condition(self, test: ast.expr, holds: bool, scope: dict[str, Value]) -> None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.condition(test.operand, not holds, scope)
        elif isinstance(test, ast.BoolOp):
            if isinstance(test.op, ast.And) == holds:
                for part in test.values:
                    self.condition(part, holds, scope)
        elif isinstance(test, ast.Compare):
            self.compare(test, scope)
            operands = [test.left, *test.comparators]
            for i, op in enumerate(test.ops):
                wanted = ast.Eq if holds else ast.NotEq
                if isinstance(op, wanted) and (holds or len(test.ops) == 1):
                    self.equate(operands[i], operands[i + 1], scope)
                elif isinstance(op, ast.In if holds else ast.NotIn):
                    self.dtype(operands[i], operands[i + 1], scope)
        elif isinstance(test, ast.Call):
            self.value(test, scope)
            called = test.func
            if holds and isinstance(called, ast.Attribute) and called.attr == "is_contiguous":
                owner = self.value(called.value, scope)
                if isinstance(owner, Tensor) and owner.itself:
                    self.evidence[owner.name].contiguous = True
        else:
            self.value(test, scope)

    def compare(self, test: ast.Compare, scope: dict[str, Value]) -> None:
        """Remember the plain values that a parameter is compared with (`mode == "mean"`)."""
        left = test.left
        while isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute):
            left = left.func.value  # `mode.lower() == "mean"`
        value = scope.get(left.id) if isinstance(left, ast.Name) else None
        if isinstance(value, Tensor) and value.itself and _asks_for_none(test):
            self.evidence[value.name].optional = True
        for other in test.comparators:
            self.told_apart(value, _elements(other) or self.keys(other) or [other])

    def told_apart(self, value: Value, others: Iterable[ast.expr]) -> None:
        """The code does one thing or another by these values of a parameter."""
        if not isinstance(value, Tensor):
            return
        for element in others:
            if isinstance(element, ast.Constant) and isinstance(element.value, (str, int)):
                self.evidence[value.name].compared.append(element.value)

    def keys(self, node: ast.expr) -> list[ast.expr]:
        """The keys of a dictionary that is written out, here or at the top of the file."""
        if isinstance(node, ast.Name):
            for statement in self.module.tree.body:
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
                    names = [t.id for t in statement.targets if isinstance(t, ast.Name)]
                    if node.id in names:
                        return self.keys(statement.value)
        return [k for k in node.keys if k is not None] if isinstance(node, ast.Dict) else []

    def equate(self, left: ast.expr, right: ast.expr, scope: dict[str, Value]) -> None:
        self.dtype(left, ast.Tuple([right], ast.Load()), scope)
        for one, other in ((left, right), (right, left)):
            value = self.value(one, scope)
            elements = _elements(other)
            if isinstance(value, Shape) and value.form == "same" and elements is not None:
                self.set_rank(value.name, len(elements))
                for axis, element in enumerate(elements):
                    self.equations.append((self.size(value.name, axis), self.value(element, scope)))
                return
        first, second = self.value(left, scope), self.value(right, scope)
        if isinstance(first, Shape) and isinstance(second, Shape):
            self.alike.append((first.name, second.name))
        elif isinstance(first, Rank) and isinstance(second, Number):
            self.set_rank(first.name, second.value)
        elif isinstance(first, Rank) and isinstance(second, Rank):
            return
        elif first is not None and second is not None:
            self.equations.append((first, second))

    def dtype(self, left: ast.expr, right: ast.expr, scope: dict[str, Value]) -> None:
        """`x.dtype == torch.float32`, `x.dtype in (...)`."""
        if not (isinstance(left, ast.Attribute) and left.attr == "dtype"):
            return
        owner = self.value(left.value, scope)
        elements = _elements(right)
        if not isinstance(owner, Tensor) or elements is None:
            return
        names = [self.module.resolve(e).rpartition(".")[2] for e in elements]
        known = tuple(LONG_NAMES[n] for n in names if n in LONG_NAMES)
        if known:
            self.evidence[owner.name].dtypes = known

    # Expressions

    def set_rank(self, name: str, rank: int) -> None:
        self.evidence[name].tensor = True
        self.evidence[name].rank = rank

    def size(self, name: str, axis: int) -> Size:
        evidence = self.evidence[name]
        evidence.tensor = True
        evidence.least_rank = max(evidence.least_rank, axis + 1 if axis >= 0 else -axis)
        return Size(name, axis)

    def value(self, node: ast.expr, scope: dict[str, Value]) -> Value:
        if isinstance(node, ast.Name):
            value = scope.get(node.id)
            if isinstance(value, Tensor):
                self.evidence[value.name].used = True
            return value
        if isinstance(node, ast.Constant):
            whole = isinstance(node.value, int) and not isinstance(node.value, bool)
            return Number(node.value) if whole else None  # type: ignore[arg-type]  # just tested
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.value(node.operand, scope)
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
            element = self.value(node.elt, inside)
            # A list of what a list holds: `[x.to(dtype) for x in tensors]`.
            return element if self.is_list(element) else None
        if isinstance(node, ast.IfExp):
            self.value(node.test, scope)
            return self.either([node.body, node.orelse], scope)
        if isinstance(node, ast.BoolOp):
            return self.either(node.values, scope)
        if isinstance(node, ast.BinOp):
            self.rows(node, scope)
        if isinstance(node, ast.Compare):
            self.compare(node, scope)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
        return None

    def rows(self, node: ast.BinOp, scope: dict[str, Value]) -> None:
        """`x.numel() // x.shape[-1]`: rows are counted over whatever dimensions come first."""
        if isinstance(node.op, ast.FloorDiv):
            count, last = self.value(node.left, scope), self.value(node.right, scope)
            if isinstance(count, Count) and last == Size(count.name, -1):
                self.evidence[count.name].ragged = True

    def either(self, nodes: Iterable[ast.expr], scope: dict[str, Value]) -> Value:
        """One of several values: of `scale if scale is not None else x` it is `scale`."""
        found = [v for n in nodes if (v := self.value(n, scope)) is not None]
        left_out = (v for v in found if isinstance(v, Tensor) and v.name in self.launcher.defaults)
        return next(left_out, found[0] if found else None)

    def attribute(self, node: ast.Attribute, scope: dict[str, Value]) -> Value:
        owner = self.value(node.value, scope)
        if isinstance(owner, View) or (
            isinstance(owner, Tensor) and node.attr in torch_api.STRIDED_VIEWS
        ):
            return View(owner.name) if node.attr in torch_api.STRIDED_VIEWS else None
        if not isinstance(owner, Tensor):
            return None
        if owner.itself and node.attr in ("shape", "ndim", "dtype", "device", "is_cuda", "data"):
            self.evidence[owner.name].tensor = True
        if node.attr == "shape":
            return Shape(owner.name, owner.form)
        if node.attr == "ndim":
            return Rank(owner.name)
        return owner if node.attr == "data" else None

    def subscript(self, node: ast.Subscript, scope: dict[str, Value]) -> Value:
        owner = self.value(node.value, scope)
        index = self.value(node.slice, scope) if isinstance(node.slice, ast.expr) else None
        self.told_apart(index, self.keys(node.value))
        if isinstance(owner, Shape):
            if isinstance(index, Number):
                return self.axis(owner.name, owner.form, index.value)
            self.evidence[owner.name].ragged = True
        return owner if self.is_list(owner) else None

    def axis(self, name: str, form: str, axis: int) -> Value:
        if form == "same":
            return self.size(name, axis)
        if form == "rows" and axis in (1, -1):
            return self.size(name, -1)
        return Count(name) if form == "flat" else None

    def call(self, node: ast.Call, scope: dict[str, Value]) -> Value:
        launch = self.launches.get(id(node))
        if launch is not None:
            self.launch(launch, scope)
            return None
        values = [self.value(a, scope) for a in node.args if not isinstance(a, ast.Starred)]
        for keyword in node.keywords:
            self.value(keyword.value, scope)
        if isinstance(node.func, ast.Name) and node.func.id in ("tuple", "list", "int"):
            return values[0] if values else None
        if isinstance(node.func, ast.Name) and node.func.id == "len" and values:
            first = values[0]
            if isinstance(first, Shape):
                return Rank(first.name)
            return None
        name = self.module.resolve(node.func)
        if name.startswith("torch."):
            function = name.rpartition(".")[2]
            like = function.endswith("_like")
            first = values[0] if values else None
            if isinstance(first, (Tensor, View)) and function in torch_api.STRIDED_VIEWS:
                return self.view(first)
            if isinstance(first, Tensor) and function not in torch_api.WITHOUT_TENSOR:
                self.evidence[first.name].tensor = True
                return Tensor(first.name, first.form, itself=False) if like else None
            return None
        if isinstance(node.func, ast.Attribute):
            if node.func.attr == "get" and values:
                self.told_apart(values[0], self.keys(node.func.value))
            owner = self.value(node.func.value, scope)
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
        self.evidence[owner.name].tensor |= owner.itself
        return View(owner.name) if owner.itself and owner.form == "same" else None

    def method_of_view(self, owner: View, name: str) -> Value:
        if name in ("stride", "contiguous"):
            evidence = self.evidence[owner.name]
            evidence.strided = evidence.any_strides = True
        return owner if name in torch_api.SAME_SHAPE or name == "requires_grad_" else None

    def method(self, owner: Tensor, node: ast.Call, values: list[Value]) -> Value:
        assert isinstance(node.func, ast.Attribute)
        name = node.func.attr
        evidence = self.evidence[owner.name]
        if owner.itself:
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
                found = self.axis(owner.name, owner.form, first.value)
                return found if name == "size" else None
            return Shape(owner.name, owner.form) if name == "size" else None
        if name == "numel":
            return Count(owner.name)
        if name in ("dim", "ndimension"):
            return Rank(owner.name)
        if name in torch_api.SAME_SHAPE or name == "requires_grad_":
            return owner
        if name in ("view", "reshape", "flatten"):
            if len(values) == 2 and first == Number(-1):
                evidence.ragged = True
                self.equations.append((self.size(owner.name, -1), values[1]))
                return Tensor(owner.name, "rows")
            if name == "flatten" or (len(values) == 1 and first == Number(-1)):
                evidence.ragged = True
                return Tensor(owner.name, "flat")
            return None
        if name.endswith("_like") or name == "new_empty":
            return None
        return None

    def enter(self, node: ast.Call, values: list[Value], scope: dict[str, Value]) -> None:
        """Walk into a function of the same file, with what is known of its arguments."""
        function = self.local_function(node.func)
        if function is None or self.depth >= _FEW_CALLS or len(values) != len(node.args):
            return
        positional = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        if function.name == "forward":
            positional = positional[1:]
        inner: dict[str, Value] = dict(zip(positional, values, strict=False))
        for keyword in node.keywords:
            if keyword.arg is not None:
                inner[keyword.arg] = self.value(keyword.value, scope)
        self.depth += 1
        self.block(function.body, inner)
        self.depth -= 1

    def local_function(self, called: ast.expr) -> ast.FunctionDef | None:
        name = ""
        if isinstance(called, ast.Name):
            name = self.launchers.aliases.get(called.id, called.id)
        elif isinstance(called, ast.Attribute) and called.attr == "apply":
            name = ast.unparse(called.value)
        found = self.launchers.definitions.get(name)
        if isinstance(found, ast.ClassDef):
            return method(found, "forward")
        if found is None or self.module.kernel(name) is not None:
            return None
        return found if isinstance(found, ast.FunctionDef) else None

    def launch(self, launch: source.Launch, scope: dict[str, Value]) -> None:
        given = {name: self.value(e, scope) for name, e in launch.arguments.items()}
        for expr in launch.options.values():
            self.value(expr, scope)
        for test in (n for n in ast.walk(launch.kernel.node) if isinstance(n, ast.Compare)):
            if isinstance(test.left, ast.Name):
                self.told_apart(given.get(test.left.id), test.comparators)
        grid = _elements(launch.grid) or []
        for axis, expr in enumerate(grid):
            given[f"program {axis}"] = self.value(expr, scope)
        for parameter, bound in pointers(self.module, launch.kernel).items():
            value = given.get(parameter)
            if not isinstance(value, Tensor) or not value.itself:
                continue
            self.evidence[value.name].tensor = True
            if bound is not None and given.get(bound) is not None:
                self.hints.setdefault(value.name, []).append(given[bound])


def _asks_for_none(test: ast.Compare) -> bool:
    """Whether it is `x is None` or `x is not None`."""
    other = test.comparators[0]
    is_none = isinstance(other, ast.Constant) and other.value is None
    return is_none and isinstance(test.ops[0], (ast.Is, ast.IsNot))


def _elements(node: ast.expr) -> list[ast.expr] | None:
    if isinstance(node, ast.Call) and node.args and not isinstance(node.func, ast.Subscript):
        name = ast.unparse(node.func).rpartition(".")[2]
        return _elements(node.args[0]) if name in ("Size", "tuple", "list") else None
    return list(node.elts) if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else None


def pointers(module: source.Module, kernel: source.Kernel) -> dict[str, str | None]:
    """Parameters that a kernel loads from or stores to, with what bounds them.

    The bound is known where every access is `pointer + lanes` under `lanes < BOUND`, a
    parameter, or `pointer + tl.program_id(0)`, which is called `program 0`.
    """
    names = {p.name for p in kernel.parameters}
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            assigned.setdefault(node.target.id, []).append(node.value)
    found: dict[str, str | None] = {}
    for node in ast.walk(kernel.node):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = module.resolve(node.func).removeprefix("triton.language.")
        if called not in ("load", "store") and not called.startswith("atomic_"):
            continue
        base = _base(node.args[0], assigned, names)
        if base is None:
            continue
        bound = None
        if base not in assigned:
            bound = _bound(node, called, assigned, names) or _program(module, node, assigned)
        found[base] = bound if found.get(base, bound) == bound else None
    return found


def _base(
    pointer: ast.expr, assigned: Mapping[str, list[ast.expr]], names: set[str], depth: int = 6
) -> str | None:
    while isinstance(pointer, ast.BinOp) and isinstance(pointer.op, (ast.Add, ast.Sub)):
        pointer = pointer.left
    if not isinstance(pointer, ast.Name) or depth == 0:
        return None
    if pointer.id in names:
        return pointer.id
    for value in assigned.get(pointer.id, []):
        found = _base(value, assigned, names, depth - 1)
        if found is not None:
            return found
    return None


def _bound(
    call: ast.Call, called: str, assigned: Mapping[str, list[ast.expr]], names: set[str]
) -> str | None:
    pointer = call.args[0]
    if not (isinstance(pointer, ast.BinOp) and isinstance(pointer.left, ast.Name)):
        return None
    place = 1 if called == "load" else 2
    mask = next((k.value for k in call.keywords if k.arg == "mask"), None)
    if mask is None and len(call.args) > place:
        mask = call.args[place]
    if isinstance(mask, ast.Name) and len(assigned.get(mask.id, [])) == 1:
        mask = assigned[mask.id][0]
    if not isinstance(mask, ast.Compare) or not isinstance(mask.ops[0], ast.Lt):
        return None
    bound = mask.comparators[0]
    same = ast.dump(mask.left) == ast.dump(pointer.right)
    return bound.id if same and isinstance(bound, ast.Name) and bound.id in names else None


def _program(
    module: source.Module, call: ast.Call, assigned: Mapping[str, list[ast.expr]]
) -> str | None:
    pointer = call.args[0]
    if not (isinstance(pointer, ast.BinOp) and isinstance(pointer.left, ast.Name)):
        return None
    index = pointer.right
    if isinstance(index, ast.Name) and len(assigned.get(index.id, [])) == 1:
        index = assigned[index.id][0]
    if not isinstance(index, ast.Call) or len(index.args) != 1:
        return None
    if module.resolve(index.func) != "triton.language.program_id":
        return None
    axis = _literal(index.args[0])
    return f"program {axis}" if isinstance(axis, int) else None


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
            node = ast.parse(node.value, mode="eval").body
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


@dataclass
class _Solution:
    """From evidence and equations to a signature."""

    launcher: Launcher
    walk: _Walk
    parents: dict[object, object] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    """Parameters that cannot be told, with a line to write for each."""

    def reading(self) -> Reading:
        self._merge_shapes()
        ranks = {name: self._rank(name) for name in self.walk.evidence}
        self._merge_sizes(ranks)
        found = [self._argument(parameter, ranks) for parameter in self.launcher.parameters]
        known = [a for a in found if a is not None]
        while known and isinstance(known[-1], ChoiceArgument) and known[-1].values == (None,):
            # Called by position, what comes last may be left out; some count what they are given.
            known.pop()
        ranked = frozenset(n for n in ranks if self._ranked(n))
        return Reading(self.launcher, tuple(known), self.unknown, self.walk.evidence, ranked)

    # Equations

    def find(self, item: object) -> object:
        while item in self.parents:
            item = self.parents[item]
        return item

    def union(self, one: object, other: object) -> None:
        one, other = self.find(one), self.find(other)
        if one == other:
            return
        # Numbers stay roots, so that a size that must be 128 is 128.
        if isinstance(one, Number):
            one, other = other, one
        self.parents[one] = other

    def alike(self, name: str) -> str:
        found = self.find(("shape", name))
        assert isinstance(found, tuple)
        return str(found[1])

    def _merge_shapes(self) -> None:
        evidence = self.walk.evidence
        for one, other in self.walk.alike:
            self.union(("shape", one), ("shape", other))
        for left, right in self.walk.equations:
            if isinstance(left, Count) and isinstance(right, Count):
                self.union(("shape", left.name), ("shape", right.name))
        for name, sizes in self.walk.hints.items():
            e = evidence[name]
            if e.rank is not None or e.least_rank > 1 or e.ragged or e.annotated:
                continue
            for value in sizes:
                if isinstance(value, Count) and value.name != name:
                    self.union(("shape", name), ("shape", value.name))
                elif isinstance(value, Size):
                    e.rank = 1
                    self.walk.equations.append((Size(name, 0), value))

    def _family(self, name: str) -> list[Evidence]:
        root = self.alike(name)
        return [e for other, e in self.walk.evidence.items() if self.alike(other) == root]

    def _rank(self, name: str) -> int | None:
        family = self._family(name)
        ranks = [e.rank for e in family if e.rank is not None]
        annotated = [len(e.annotated) for e in family if e.annotated is not None]
        if ranks or annotated:
            return [*ranks, *annotated][0]
        if any(e.ragged for e in family):
            return None
        return max(e.least_rank for e in family) or None

    def _ranked(self, name: str) -> bool:
        family = self._family(name)
        return any(e.rank is not None or e.annotated is not None for e in family)

    def _merge_sizes(self, ranks: Mapping[str, int | None]) -> None:
        for left, right in self.walk.equations:
            one, other = self._key(left, ranks), self._key(right, ranks)
            if one is not None and other is not None:
                self.union(one, other)

    def _key(self, value: Value, ranks: Mapping[str, int | None]) -> object:
        if isinstance(value, Number):
            return value
        if isinstance(value, Tensor):
            return ("plain", value.name)
        if isinstance(value, Count):
            # Of a vector that is its only size; of anything else no single one.
            return Size(self.alike(value.name), -1) if ranks.get(value.name) == 1 else None
        if not isinstance(value, Size):
            return None
        rank = ranks.get(value.name)
        axis = value.axis
        if rank is not None and axis >= 0:
            axis -= rank
        return Size(self.alike(value.name), axis)

    # Arguments

    def _argument(self, parameter: ast.arg, ranks: Mapping[str, int | None]) -> Argument | None:
        name = parameter.arg
        evidence = self.walk.evidence[name]
        default = self.launcher.defaults.get(name)
        if default is not None and _is_none(default):
            return ChoiceArgument(name, (None,)) if self.launcher.autograd else None
        if evidence.several:
            self.unknown[name] = "[f32[m, n], f32[m, n]]"
            return None
        value = None if default is None else _literal(default)
        # What torch is passed is mostly a tensor, but not where the default is a number.
        plain = isinstance(value, (bool, int, float, str)) and not evidence.shaped
        if evidence.tensor and not plain:
            return self._tensor(name, evidence, ranks)
        if default is not None:
            if isinstance(value, bool):
                return ChoiceArgument(name, (value, not value))
            if isinstance(value, (int, float, str)):
                return ChoiceArgument(name, (value,))
            return None
        return self._plain(parameter, ranks)

    def _plain(self, parameter: ast.arg, ranks: Mapping[str, int | None]) -> Argument | None:
        name = parameter.arg
        size = self.find(("plain", name))
        if isinstance(size, Size):
            return SizeArgument(name, (self._size_name(size),))
        if isinstance(size, Number):
            return ChoiceArgument(name, (size.value,))
        kind = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
        if "eps" in name.lower():
            return ChoiceArgument(name, (1e-5,))
        if kind == "bool":
            return ChoiceArgument(name, (False, True))
        if kind == "float":
            return ChoiceArgument(name, (0.5, 1.0, 2.0))
        if not self.walk.evidence[name].used:
            return ChoiceArgument(name, (None,))
        self.unknown[name] = "int in 1..8" if kind == "int" else "f32[n]"
        return None

    def _tensor(
        self, name: str, evidence: Evidence, ranks: Mapping[str, int | None]
    ) -> TensorArgument | None:
        family = self._family(name)
        rank = ranks[name]
        dtypes = evidence.dtypes or DEFAULT_DTYPES
        annotated = next((e.annotated for e in family if e.annotated is not None), None)
        shape: tuple[Dimension, ...]
        if annotated is not None:
            shape = annotated
        elif rank is not None:
            shape = tuple(self._dimension(name, axis - rank) for axis in range(rank))
        elif any(e.ragged for e in family) or self._counted(name):
            shape = ("...", self._dimension(name, -1))
        else:
            self.unknown[name] = "f32[m, n]"
            return None
        strided, rows_only = layouts(evidence, len(shape))
        return TensorArgument(name, dtypes, shape, strided=strided, rows_only=rows_only)

    def _counted(self, name: str) -> bool:
        """Whether only the number of elements matters: all that the code asks is `numel`."""
        root = self.alike(name)
        counts = [v for values in self.walk.hints.values() for v in values if isinstance(v, Count)]
        return any(self.alike(c.name) == root for c in counts)

    def _dimension(self, name: str, axis: int) -> Dimension:
        root = self.find(Size(self.alike(name), axis))
        if isinstance(root, Number):
            return root.value
        assert isinstance(root, (Size, tuple))
        return self._size_name(root)

    def _size_name(self, root: object) -> str:
        """The name that the code gives to a size, else one made of where it was first met."""
        ranks = {name: self._rank(name) for name in self.walk.evidence}
        taken: dict[str, object] = {}
        for size, name in self.walk.names.items():
            key = self._key(size, ranks)
            found = self.find(key)
            if found == root and taken.get(name, root) == root:
                return name
            taken.setdefault(name, found)
        if isinstance(root, Size):
            return f"{root.name.lower()}_{'last' if root.axis == -1 else f'size{-root.axis}'}"
        return "n"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _literal(node: ast.expr) -> object:
    try:
        value: object = ast.literal_eval(node)
    except ValueError:
        return None
    return value
