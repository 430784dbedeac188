"""Conditions that a launcher checks, and as forms: 1 where one holds and 0 where it does not.

Numbers are compared as numbers, shapes size by size. A question that is about no size, as
`bias is not None` or `x.dtype == torch.float16`, is a flag: true or false, whatever the sizes are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol

from tritonopt.facts.algebra.atoms import (
    Compared,
    Constant,
    Flag,
    LauncherParameter,
    SameShape,
    Truth,
    Unread,
)
from tritonopt.facts.algebra.indicators import negative, zero
from tritonopt.facts.algebra.polynomial import ONE, ZERO, Argument, Polynomial, TooLarge
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.local_names import LocalNames
from tritonopt.facts.host.tensor_expressions import allocation, integer, shape_of, viewed
from tritonopt.source.module import Module
from tritonopt.source.trees import walk

Form = Callable[[ast.expr], Polynomial]

_ASIDE = frozenset({"dtype", "device", "is_cuda", "requires_grad", "layout", "is_sparse"})
"""What is asked of a tensor that is about no size of it, ..."""
_TRUE_OR_FALSE = frozenset({"is_cuda", "requires_grad", "is_sparse"})
_ASKED = frozenset({"is_contiguous", "is_floating_point", "is_complex"})
"""... and by a call."""
_LOOKING = frozenset(
    ["isinstance", "torch.is_tensor", "torch.is_floating_point", "torch.is_complex"]
    + ["torch.is_grad_enabled", "torch.cuda.is_available"]
)


def checked(module: Module, statement: ast.stmt) -> tuple[ast.expr, bool] | None:
    """A condition, and whether it holds or not, wherever a statement has been passed."""
    match statement:
        case ast.Assert(test=test):
            return test, True
        case ast.Expr(value=ast.Call(func=called, args=[test, *_])) if (
            module.resolve(called) in torch_api.CHECKS
        ):
            return test, True
        case ast.If(test=test, body=[*_, ast.Raise()]):
            return test, False
    return None


def conjuncts(test: ast.expr, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """What a condition that holds, or does not, is made of: each part holds, or does not.

    Of `a or b` that holds nothing is known, nor of `a and b` that does not.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from conjuncts(operand, not holds)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) == holds:
                for value in values:
                    yield from conjuncts(value, holds)
        case _:
            yield test, holds


class Shapes(Protocol):
    """What a reader of host code knows of the sizes of tensors."""

    def tensor_of(self, shape: ast.expr) -> Polynomial | None:
        """The tensor that these are all sizes of."""

    def size_of(self, shape: ast.expr, index: int) -> Polynomial:
        """One of these sizes."""


class Truths:
    """Conditions of one function."""

    def __init__(self, module: Module, names: LocalNames | None) -> None:
        self._module = module
        self._names = names

    def of(self, test: ast.expr, form: Form, shapes: Shapes) -> Polynomial:
        """Whether a condition holds; raises TooLarge."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ONE - self.of(operand, form, shapes)
            case ast.BoolOp(op=op, values=values):
                parts = [self.of(value, form, shapes) for value in values]
                if isinstance(op, ast.And):
                    return _all(parts)
                return ONE - _all([ONE - part for part in parts])
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [left, *others]
                pairs = zip(sides, ops, others, strict=False)
                return _all([self._comparison(*each, form, shapes) for each in pairs])
            case ast.Call(func=called, args=[inside]) if self._module.builtin(called) == "bool":
                return self.of(inside, form, shapes)
            case ast.Call() | ast.Attribute() if self.is_flag(test):
                return self.flag(test)
        value = form(test)
        known = value.constant_value
        if known is not None:
            return ONE if known else ZERO
        if all(atom.is_indicator for atom in value.atoms) and value * value == value:
            return value
        return ONE - zero(value) if is_integer(value) else Polynomial.of(Truth(value))

    def _comparison(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr, form: Form, shapes: Shapes
    ) -> Polynomial:
        match op:
            case ast.NotEq():
                return ONE - self._comparison(left, ast.Eq(), right, form, shapes)
            case ast.IsNot():
                return ONE - self._comparison(left, ast.Is(), right, form, shapes)
            case ast.NotIn():
                return ONE - self._comparison(left, ast.In(), right, form, shapes)
            case ast.In():
                return self._membership(left, right, form, shapes)
            case ast.Eq() if (alike := self._same_sizes(left, right, form, shapes)) is not None:
                return alike
            case ast.Gt() | ast.GtE():
                less = ast.Lt() if isinstance(op, ast.Gt) else ast.LtE()
                return self._comparison(right, less, left, form, shapes)
        one, other = form(left), form(right)
        read = _is_read(one) and _is_read(other)
        if not read and self.is_aside(left) and self.is_aside(right):
            return self.flag(ast.Compare(left, [op], [right]), left)
        order = {ast.Lt: "lt", ast.LtE: "le", ast.Eq: "eq", ast.Is: "is"}[type(op)]
        difference = one - other
        if order == "is" or not is_integer(difference):
            return Polynomial.of(Compared(order, one, other))
        if order == "eq":
            return zero(difference)
        return negative(difference if order == "lt" else difference - 1)

    def _membership(
        self, left: ast.expr, right: ast.expr, form: Form, shapes: Shapes
    ) -> Polynomial:
        """`n in (64, 128)`"""
        match right:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                none = [
                    ONE - self._comparison(left, ast.Eq(), part, form, shapes) for part in parts
                ]
                return ONE - _all(none)
        test = ast.Compare(left, [ast.In()], [right])
        if self.is_aside(left) and self.is_aside(right):
            return self.flag(test, left)
        return Polynomial.of(Compared("in", form(left), form(right)))

    # Sizes

    def _same_sizes(
        self, left: ast.expr, right: ast.expr, form: Form, shapes: Shapes
    ) -> Polynomial | None:
        """`x.shape == (m, n)`, `x.shape == y.shape`; None where these are no sequences."""
        sides = [self._sequence(side, shapes) for side in (left, right)]
        whole = [shapes.tensor_of(side) for side in (left, right)]
        if whole[0] is not None and whole[1] is not None:
            return Polynomial.of(SameShape(whole[0], whole[1]))
        counts = [count for _, count in (s for s in sides if s is not None) if count is not None]
        if None in sides or not counts or len(set(counts)) > 1:
            return None
        found = []
        for index in range(counts[0]):
            one, other = (
                self._element(part, index, side, form, shapes)
                for part, side in zip((left, right), sides, strict=True)
            )
            difference = one - other
            whole_number = is_integer(difference)
            found.append(
                zero(difference) if whole_number else Polynomial.of(Compared("eq", one, other))
            )
        return _all(found)

    def _sequence(self, node: ast.expr, shapes: Shapes) -> tuple[int, int | None] | None:
        """(the first index, how many) of a sequence of sizes; None where it is none."""
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                starred = any(isinstance(part, ast.Starred) for part in parts)
                return None if starred else (0, len(parts))
            case ast.Call(func=called, args=[inside]) if (
                self._module.builtin(called) in ("tuple", "list")
                or self._module.resolve(called) == "torch.Size"
            ):
                return self._sequence(inside, shapes)
            case ast.Subscript(value=shape, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                if shapes.tensor_of(shape) is None:
                    return None
                first, last = 0 if lower is None else integer(lower), integer(upper)
                if first is None or (upper is not None and last is None):
                    return None
                if last is None:
                    return (first, -first if first < 0 else None)
                alike = (first < 0) == (last < 0)
                return (first, max(last - first, 0)) if alike else (first, None)
        return (0, None) if shapes.tensor_of(node) is not None else None

    def _element(
        self,
        node: ast.expr,
        index: int,
        sequence: tuple[int, int | None] | None,
        form: Form,
        shapes: Shapes,
    ) -> Polynomial:
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return form(parts[index])
            case ast.Call(args=[inside]) if shape_of(node) is None:
                return self._element(inside, index, sequence, form, shapes)
            case ast.Subscript(value=shape):
                node = shape
        assert sequence is not None
        return shapes.size_of(node, sequence[0] + index)

    # What is about no size

    def is_aside(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether what an expression says is about no size of any tensor."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return self._is_aside_name(name, depth)
            case ast.Attribute(attr=attribute):
                return attribute in _ASIDE or bool(self._module.resolve(node))
            case ast.Call(func=called):
                name = self._module.resolve(called) or self._module.builtin(called)
                if self.is_flag(node) or (name and allocation(self._module, node) is not None):
                    return True
                tensor = viewed(node)
                return tensor is not None and self.is_aside(tensor, depth + 1)
            case (
                ast.Compare()
                | ast.BoolOp()
                | ast.UnaryOp()
                | ast.IfExp()
                | ast.Tuple()
                | ast.List()
                | ast.Set()
            ):
                parts = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
                return all(self.is_aside(part, depth + 1) for part in parts)
        return False

    def is_flag(self, node: ast.expr) -> bool:
        """Whether it is true or false, and asks for what is about no size."""
        match node:
            case ast.Attribute(attr=attribute):
                return attribute in _TRUE_OR_FALSE
            case ast.Call(func=ast.Attribute(attr=method), args=[], keywords=[]):
                return method in _ASKED
            case ast.Call(func=called):
                return (self._module.resolve(called) or self._module.builtin(called)) in _LOOKING
        return False

    def is_aside_value(self, node: ast.expr) -> bool:
        """The same of what is passed to a function, which may ask a tensor for its sizes."""
        match node:
            case ast.Constant():
                return True
            case ast.Attribute(attr=attribute):
                return attribute in _ASIDE
        return False

    def _is_aside_name(self, name: str, depth: int) -> bool:
        names = self._names
        if names is None or name not in names.lines:
            return True
        if name in names.bound_otherwise or depth > 5:
            return False
        return all(self.is_aside(value, depth + 1) for value in names.assigned.get(name, []))

    def flag(self, test: ast.expr, at: ast.expr | None = None) -> Polynomial:
        """The same flag wherever the same is asked of what the launcher was given."""
        given = (n.id for n in walk(test) if isinstance(n, ast.Name))
        rebound = self._names is not None and any(n in self._names.lines for n in given)
        place: Argument = place_of(at or test) if rebound else ()
        return Polynomial.of(Flag(place, ast.unparse(test)))


def is_integer(form: Polynomial) -> bool:
    """Whether it is made of what can only be integers, where it is compared as a number."""
    return not any(
        isinstance(leaf, (Unread, Constant, Flag, LauncherParameter)) for leaf in form.leaves()
    )


def _is_read(form: Polynomial) -> bool:
    return not any(isinstance(leaf, Unread) for leaf in form.leaves())


def _all(parts: Sequence[Polynomial]) -> Polynomial:
    found = ONE
    for part in parts:
        found = found * part
    return found


def place_of(node: ast.AST) -> Argument:
    """Where it stands: tells one expression from another."""
    # `x` and `x.t()` begin at one place: only its end tells a node from these.
    names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    return tuple(getattr(node, name, None) or 0 for name in names)


_Test = Callable[[ast.expr, ast.stmt], Polynomial]

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_STOPPING = frozenset({"sys.exit", "pytest.skip", "exit", "quit"})
_SAYING = frozenset({"debug", "info", "warn", "warning", "warning_once", "error", "log", "write"})
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Guards:
    """The statements of one function."""

    def __init__(self, module: Module, truths: Truths, truth: _Test) -> None:
        self._module = module
        self._truths = truths
        self._truth = truth

    def passed(self, statement: ast.stmt) -> Polynomial:
        """1 where the next statement is reached, as far as that is known."""
        if isinstance(statement, _DEFINING):
            return ONE
        if isinstance(statement, _LEAVING) or self._stops(statement):
            return ZERO
        try:
            match statement:
                case ast.If(test=test, body=body, orelse=orelse):
                    then, other = self.passed_all(body), self.passed_all(orelse)
                    if then == other:
                        return then * self._unless_raising(statement.test)
                    holds = self.truth(test, statement)
                    return holds * then + (ONE - holds) * other
                case ast.With(body=body) | ast.AsyncWith(body=body):
                    return self.passed_all(body)
                case ast.For() | ast.AsyncFor() | ast.While() | ast.Try() | ast.Match():
                    return unknown(statement) if self._may_leave(statement) else ONE
            known = checked(self._module, statement)
            if known is not None:
                return self.truth(known[0], statement)
        except TooLarge:
            return unknown(statement)
        return self._unless_raising(statement) * self._viewed(statement)

    def passed_all(self, block: Sequence[ast.stmt]) -> Polynomial:
        found = ONE
        for statement in block:
            found = found * self.passed(statement)
            if found.is_zero:
                break
        return found

    def truth(self, test: ast.expr, place: ast.stmt) -> Polynomial:
        """Whether a condition holds; unknown where it also binds names, or may raise."""
        if any(isinstance(part, ast.NamedExpr) for part in walk(test)):
            return unknown(test)
        try:
            return self._truth(test, place) * self._unless_raising(test)
        except TooLarge:
            return unknown(test)

    def _viewed(self, statement: ast.stmt) -> Polynomial:
        """That the elements of a tensor go into the shape that it is viewed in."""
        found = ONE
        node: ast.AST | None = getattr(statement, "value", None)
        while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name() as tensor, attr="view" | "reshape"),
                    args=[ast.Tuple(elts=sizes) | ast.List(elts=sizes)] | sizes,
                    keywords=[],
                ) if sizes and not any(isinstance(size, ast.Starred) for size in sizes):
                    fits = self.truth(_fits(tensor, sizes), statement)
                    # `x.view(torch.int8)` is about no size.
                    known = not any(isinstance(leaf, Unread) for leaf in fits.leaves())
                    found = found * fits if known else found
            node = node.func if isinstance(node, ast.Call) else node.value
        return found

    def _stops(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Expr(value=ast.Call(func=called)):
                name = self._module.resolve(called) or self._module.builtin(called)
                return name in _STOPPING
        return False

    def _may_leave(self, node: ast.AST) -> bool:
        """Whether a loop or a `try` leaves the function, or raises, for some sizes."""
        inside = ast.iter_child_nodes(node)
        match node:
            case ast.Return() | ast.Raise():
                return True
            case ast.Assert(test=test):
                return not self._truths.is_aside(test)
            case ast.Call() if self._raises(node):
                return True
            case ast.If(test=test) if self._truths.is_aside(test):
                inside = (part for part in inside if not isinstance(part, _LEAVING))
        return any(map(self._may_leave, inside))

    def _unless_raising(self, node: ast.stmt | ast.expr) -> Polynomial:
        """Unknown where a function is called that may raise."""
        calls = (part for part in walk(node) if isinstance(part, ast.Call))
        dropped = node.value if isinstance(node, ast.Expr) else None
        for call in calls:
            if self._raises(call) or (call is dropped and self._is_unknown(call)):
                return unknown(call)
        return ONE

    def _raises(self, call: ast.Call) -> bool:
        """Whether it is of a function of the file that may raise, for some of what it is given."""
        name = _name(call.func)
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        return name in _raising(self._module) and not all(map(self._truths.is_aside_value, given))

    def _is_unknown(self, call: ast.Call) -> bool:
        """Whether a call whose result is dropped may be there to raise."""
        called = call.func
        name = self._module.resolve(called) or self._module.builtin(called) or ""
        if name == "print" or name.startswith(("torch.", "warnings.", "logging.", "triton.")):
            return False
        match called:
            case ast.Name(id=own):
                known = own in _functions(self._module)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=attribute):
                known = attribute in _functions(self._module)
            case ast.Attribute(attr=attribute):
                known = attribute in _SAYING or not name
            case _:
                known = True
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        return not known and not all(map(self._truths.is_aside_value, given))


def unknown(node: ast.AST, what: str = "passed") -> Polynomial:
    """What only the same reading of the same place is equal to: whether that was passed, say."""
    return Polynomial.of(Unread(place_of(node), what))


def _fits(tensor: ast.Name, sizes: Sequence[ast.expr]) -> ast.expr:
    """`tensor.numel() % (a * b) == 0`, or `tensor.numel() == a * b` where no size is -1."""
    known = [size for size in sizes if integer(size) != -1]
    product: ast.expr = ast.Constant(1)
    for size in known:
        product = ast.BinOp(product, ast.Mult(), size)
    number: ast.expr = ast.Call(ast.Attribute(tensor, "numel", ast.Load()), [], [])
    if len(known) == len(sizes):
        return ast.Compare(number, [ast.Eq()], [product])
    return ast.Compare(ast.BinOp(number, ast.Mod(), product), [ast.Eq()], [ast.Constant(0)])


def _name(called: ast.expr) -> str:
    match called:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


@lru_cache(maxsize=8)
def _functions(module: Module) -> dict[str, list[ast.AST]]:
    """The functions and methods of a file, by name; its kernels are none."""
    kernels = {kernel.node for kernel in module.kernels}
    found: dict[str, list[ast.AST]] = {}
    for node, _ in module.names.functions:
        if node not in kernels and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.setdefault(node.name, []).append(node)
    return found


@lru_cache(maxsize=8)
def _raising(module: Module) -> frozenset[str]:
    """The names of the functions of a file that may raise, or call one that may."""
    calls: dict[str, set[str]] = {}
    found: set[str] = set()
    for name, bodies in _functions(module).items():
        for node in (part for body in bodies for part in walk(body)):
            if isinstance(node, ast.Call):
                calls.setdefault(name, set()).add(_name(node.func))
                if module.resolve(node.func) in torch_api.CHECKS:
                    found.add(name)
            elif isinstance(node, (ast.Assert, ast.Raise)):
                found.add(name)
    while more := {n for n, called in calls.items() if n not in found and called & found}:
        found |= more
    return frozenset(found)
