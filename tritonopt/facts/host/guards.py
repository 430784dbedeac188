"""What holds after a statement of a launcher: whoever came past it was let through.

An `assert`, a `raise` or a `return` under a condition, a function that may raise: each is a form
that is 1 where the launcher goes on. What cannot be read is a form of which nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import lru_cache

from tritonopt.facts.algebra.atoms import Unread
from tritonopt.facts.algebra.polynomial import ONE, ZERO, Polynomial, TooLarge
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.conditions import checked
from tritonopt.facts.host.truths import Truths, place_of
from tritonopt.source.module import Module
from tritonopt.source.trees import walk

Truth = Callable[[ast.expr, ast.stmt], Polynomial]

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_STOPPING = frozenset({"sys.exit", "pytest.skip", "exit", "quit"})
_SAYING = frozenset({"debug", "info", "warn", "warning", "warning_once", "error", "log", "write"})
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Guards:
    """The statements of one function."""

    def __init__(self, module: Module, truths: Truths, truth: Truth) -> None:
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


def unknown(node: ast.stmt | ast.expr) -> Polynomial:
    """Nobody can tell whether it lets the launcher go on."""
    return Polynomial.of(Unread(place_of(node), "passed"))


def _fits(tensor: ast.Name, sizes: Sequence[ast.expr]) -> ast.expr:
    """`tensor.numel() % (a * b) == 0`, or `tensor.numel() == a * b` where no size is -1."""
    known = [size for size in sizes if not _is_open(size)]
    product: ast.expr = ast.Constant(1)
    for size in known:
        product = ast.BinOp(product, ast.Mult(), size)
    number: ast.expr = ast.Call(ast.Attribute(tensor, "numel", ast.Load()), [], [])
    if len(known) == len(sizes):
        return ast.Compare(number, [ast.Eq()], [product])
    return ast.Compare(ast.BinOp(number, ast.Mod(), product), [ast.Eq()], [ast.Constant(0)])


def _is_open(size: ast.expr) -> bool:
    """Whether it is -1, which stands for what is left."""
    match size:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return True
    return False


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
