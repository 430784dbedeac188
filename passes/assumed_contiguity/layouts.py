"""In which order of memory a launcher's tensors come to a launch: as callers have them, or made so.

A tensor of a caller has any strides unless a launcher on the way makes it contiguous, asks for its
strides, or hands it to code that may do either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.callers import HARMLESS, calls_of
from tritonopt.facts.host.same_memory import bindings_in
from tritonopt.facts.host.tensor_expressions import integer
from tritonopt.source import Launch
from tritonopt.source.trees import names_in, walk

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_ASKING = frozenset({"is_contiguous", "contiguous", "view", "view_as"})
"""What makes sure of an order, or raises."""
_SAME = (torch_api.SAME_SHAPE - {"contiguous", "clone"}) | {"squeeze", "unsqueeze", "data"}
"""What keeps the strides of the dimensions that count."""
_MOVING = torch_api.STRIDED_VIEWS - _SAME - torch_api.SLICES
_PLAIN = frozenset({"len", "isinstance", "print", "hasattr", "getattr", "type", "id", "str", "int"})
_DEPTH = 4


@dataclass(frozen=True)
class Given:
    """A tensor that comes to a launch in an order that nobody made sure of."""

    name: str
    """The launcher's parameter; empty where it is computed."""
    moved: ast.expr | None = None
    """The view that surely has another order."""
    is_gradient: bool = False
    """Whether autograd hands it in, which expands gradients."""
    checks_last: bool = False
    """Whether the launcher asks for its last stride."""


def given(launch: Launch, argument: ast.expr) -> Given | None:
    """What an argument of a launch is; None where its order is known, or may be."""
    if not isinstance(launch.launcher, _Function):
        return None
    return _Launcher(launch, launch.launcher, launch.call).given(argument, 0)


def least_rank(function: ast.AST, name: str) -> int:
    """The fewest dimensions that a name has in a function, by the sizes it is asked for."""
    least = 1
    for node in walk(function):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="shape") as value
            ) if _root(value.value) == name:
                least = max(least, sum(not isinstance(n, ast.Starred) for n in names))
            case ast.Assign(
                targets=[ast.Tuple(elts=names)],
                value=ast.Call(func=ast.Attribute(attr="size" | "stride") as value, args=[]),
            ) if _root(value.value) == name:
                least = max(least, sum(not isinstance(n, ast.Starred) for n in names))
            case (
                ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=i)
                | ast.Call(
                    func=ast.Attribute(value=ast.Name(id=tensor), attr="size" | "stride"), args=[i]
                )
            ) if tensor == name and (number := integer(i)) is not None:
                least = max(least, number + 1 if number >= 0 else -number)
            case ast.Compare(
                left=ast.Attribute(value=ast.Name(id=tensor), attr="shape"),
                ops=[ast.Eq() | ast.NotEq()],
                comparators=[ast.Tuple(elts=sizes)],
            ) if tensor == name:
                least = max(least, len(sizes))
    return least


def _root(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


@dataclass(frozen=True)
class _Launcher:
    launch: Launch
    function: _Function
    call: ast.Call
    """Where the tensor is passed on."""
    _chain: set[str] = field(default_factory=set)
    """The names that the tensor goes by."""

    @cached_property
    def parameters(self) -> list[str]:
        given = self.function.args
        return [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]

    @cached_property
    def _class(self) -> ast.ClassDef | None:
        classes = (n for n in walk(self.launch.module.tree) if isinstance(n, ast.ClassDef))
        return next((c for c in classes if self.function in c.body), None)

    @property
    def _is_of_autograd(self) -> bool:
        return self._class is not None and any(
            self.launch.module.resolve(base).endswith("autograd.Function")
            for base in self._class.bases
        )

    def given(self, argument: ast.expr, depth: int) -> Given | None:
        found = self._of(argument, None, set())
        if found is None or not self._is_plain:
            return None
        if found.moved is not None:
            return found
        if self._is_checked or any(map(self.asks_for, self._chain | {found.name})):
            return None
        if any(map(self._hands_on, self._chain | {found.name})):
            return None
        last = any(map(self._asks_for_last, self._chain | {found.name}))
        return self._from_callers(found.name, last, depth)

    def _of(self, node: ast.expr, moved: ast.expr | None, seen: set[ast.expr]) -> Given | None:
        """The parameter that an expression is on some way to it, and what was done to it."""
        if node in seen:
            return None
        seen.add(node)
        match node:
            case ast.Name(id=name):
                return self._held(node, name, moved, seen)
            case ast.IfExp(body=one, orelse=other):
                return self._of(one, moved, seen) or self._of(other, moved, seen)
            case ast.Attribute(value=tensor, attr=name) if name in torch_api.VIEW_ATTRIBUTES:
                return self._of(tensor, moved or node, seen) or Given("", node)
            case ast.Attribute(value=tensor, attr="data"):
                return self._of(tensor, moved, seen)
            case ast.Subscript(value=tensor, slice=index):
                return self._of(tensor, moved or (node if _skips(index) else None), seen)
            case ast.Call(func=ast.Attribute(value=tensor, attr=name)) if (
                not self.launch.module.resolve(node.func)
            ):
                if name in _MOVING:
                    return self._of(tensor, moved or node, seen) or Given("", node)
                if name in torch_api.SLICES:
                    return self._of(tensor, moved or (None if _is_of_rows(node) else node), seen)
                found = self._of(tensor, moved, seen) if name in _SAME else None
                copied = name == "to" or name in torch_api.CASTS
                return None if found is None or (copied and found.moved is not moved) else found
        return None

    def _held(
        self, node: ast.Name, name: str, moved: ast.expr | None, seen: set[ast.expr]
    ) -> Given | None:
        held = bindings_in(self.function).reaching(name, node)
        if held is None:
            return None
        self._chain.add(name)
        for bound in held.bounds:
            value = bound.value
            match bound.statement:
                case ast.Assign(targets=[ast.Tuple()], value=ast.Call() as call) if value is None:
                    value = call
            found = self._of(value, moved, seen) if value is not None else None
            if found is not None:
                return found
        if held.from_start and name in self.parameters:
            return Given(name, moved)
        return None

    @property
    def _is_plain(self) -> bool:
        """Whether no decorator may change what the function is given."""
        for decorator in self.function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = self.launch.module.resolve(called) or _root(called)
            if name not in HARMLESS:
                return False
        return True

    @cached_property
    def _is_checked(self) -> bool:
        """Whether a loop asks for strides, of whatever it goes over."""
        loops = (ast.For, ast.comprehension, ast.GeneratorExp, ast.ListComp, ast.Lambda)
        return any(
            isinstance(inner, ast.Attribute) and inner.attr in {*_ASKING, "stride"}
            for node in walk(self.function)
            if isinstance(node, loops) and self.launch.call not in walk(node)
            for inner in walk(node)
        )

    @cached_property
    def _under_last(self) -> set[ast.AST]:
        """What is done only where a last stride is another than 1."""
        return {
            inner
            for node in walk(self.function)
            if isinstance(node, ast.If | ast.IfExp)
            and isinstance(node.test, ast.Compare)
            and _is_last(node.test)
            for inner in walk(node)
        }

    def asks_for(self, name: str) -> bool:
        for node in walk(self.function):
            if node in self._under_last:
                continue
            match node:
                case ast.Attribute(value=owner, attr=asked) if asked in _ASKING:
                    if name in names_in(owner):
                        return True
                case ast.Compare() if self._compares_stride(node, name) and not _is_last(node):
                    return True
        return False

    def _asks_for_last(self, name: str) -> bool:
        tests = (n for n in walk(self.function) if isinstance(n, ast.Compare))
        return any(self._compares_stride(n, name) and _is_last(n) for n in tests)

    @staticmethod
    def _compares_stride(test: ast.Compare, name: str) -> bool:
        return any(
            isinstance(n, ast.Attribute) and n.attr == "stride" and name in names_in(n.value)
            for n in walk(test)
        )

    def _hands_on(self, name: str) -> bool:
        """Whether other code than torch and kernels gets the tensor: it may check it."""
        module = self.launch.module
        for node in walk(self.function):
            if not isinstance(node, ast.Call) or node is self.call:
                continue
            if isinstance(node.func, ast.Subscript) or not any(
                _root(a.value if isinstance(a, ast.Starred) else a) == name
                for a in (*node.args, *(k.value for k in node.keywords))
            ):
                continue
            called = module.resolve(node.func)
            if called.startswith(("torch.", "triton.", "math.")) or _root(node.func) in _PLAIN:
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr in torch_api.METHODS:
                continue
            return True
        return False

    def _from_callers(self, name: str, last: bool, depth: int) -> Given | None:
        """What the callers in the file pass; where there are none, anybody may call."""
        of_autograd = self._is_of_autograd
        if of_autograd and self.function.name == "backward":
            first = self.parameters.index(name) == 0
            return None if first else Given(name, None, True, last)
        calls = list(self._calls(of_autograd))
        for caller, call in calls:
            argument = self._passed(call, name, of_autograd) if call is not None else None
            if call is not None and argument is not None and depth < _DEPTH:
                found = _Launcher(self.launch, caller, call).given(argument, depth + 1)
                if found is not None and found.name and found.moved is None:
                    return Given(name, None, found.is_gradient, last)
        return None if calls else Given(name, None, False, last)

    def _calls(self, of_autograd: bool) -> Iterator[tuple[_Function, ast.Call | None]]:
        if not of_autograd:
            yield from calls_of(self.launch.module, self.function)
            return
        for function, _ in self.launch.module.names.functions:
            for node in walk(function) if isinstance(function, _Function) else ():
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="apply")):
                        if self._class is not None and name == self._class.name:
                            yield function, node

    def _passed(self, call: ast.Call, name: str, of_autograd: bool) -> ast.expr | None:
        if any(isinstance(a, ast.Starred) for a in call.args):
            return None
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value
        place = self.parameters.index(name)
        place -= of_autograd or (self._class is not None and self.parameters[0] == "self")
        return call.args[place] if 0 <= place < len(call.args) else None


def _is_last(test: ast.Compare) -> bool:
    """Whether a test speaks of the last stride alone."""
    asked = [n for n in walk(test) if isinstance(n, ast.Call)]
    strides = [n for n in asked if isinstance(n.func, ast.Attribute) and n.func.attr == "stride"]
    return bool(strides) and all(n.args and integer(n.args[0]) == -1 for n in strides)


def _skips(index: ast.expr) -> bool:
    """Whether a subscript leaves gaps between rows: `x[:, :n]`, `x[..., 0]`, `x[::2]`."""
    first, *rest = index.elts if isinstance(index, ast.Tuple) else [index]
    if isinstance(first, ast.Slice) and first.step is not None:
        return True
    fixed = isinstance(first, ast.Constant) and isinstance(first.value, int)
    for other in rest:
        match other:
            case ast.Slice(lower=None, upper=None, step=None):
                continue
            case ast.Constant(value=int()) if fixed:
                continue
            case ast.Slice() | ast.Constant(value=int()):
                return True
        return False
    return isinstance(first, ast.Constant) and first.value is ... and bool(rest)


def _is_of_rows(call: ast.Call) -> bool:
    """Whether a part is one of whole rows, or may be: what lies together stays together."""
    assert isinstance(call.func, ast.Attribute)
    first = 1 if call.func.attr in ("chunk", "split", "tensor_split") else 0
    given = [k.value for k in call.keywords if k.arg == "dim"] or call.args[first : first + 1]
    number = integer(given[0]) if given else 0
    return number is None or number == 0
