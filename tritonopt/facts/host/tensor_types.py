"""What a launcher shows of the element types of what it passes to a kernel.

The launcher is followed statement by statement up to the launch. A type is
known where a tensor is allocated with a `dtype=`, cast (`x.half()`), compared
(`assert x.dtype == torch.float16`) or annotated in the jaxtyping way; it stays
known through views and copies, and is forgotten as soon as it is in doubt.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonopt.facts.host.reach import reach_of
from tritonopt.source import Launch, Module
from tritonopt.source.trees import walk

_DTYPES = {
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float": "fp32",
    "float64": "fp64",
    "double": "fp64",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "bool": "bool",
    "int": "int32",
    "long": "int64",
    "short": "int16",
} | {f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
"""Triton's names of the types, by those of torch."""

_CASTS = {
    "half": "fp16",
    "bfloat16": "bf16",
    "float": "fp32",
    "double": "fp64",
    "bool": "bool",
    "int": "int32",
    "long": "int64",
    "short": "int16",
}
"""Methods of a tensor that name the type of their result."""

_JAXTYPING = {
    "Float16": "fp16",
    "BFloat16": "bf16",
    "Float32": "fp32",
    "Float64": "fp64",
    "Bool": "bool",
} | {
    f"{kind}{bits}": f"{kind.lower()}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)
}

_ALLOCATIONS = frozenset(
    f"torch.{name}" for name in ("empty", "zeros", "ones", "full", "rand", "randn", "empty_strided")
)
_ALIKE = frozenset(
    f"torch.{name}_like" for name in ("empty", "zeros", "ones", "full", "rand", "randn")
)
_NEW = frozenset({"new_empty", "new_zeros", "new_ones", "new_full"})
_SAME_TYPE = frozenset(
    [
        "clone",
        "contiguous",
        "cpu",
        "cuda",
        "detach",
        "expand",
        "flatten",
        "narrow",
        "permute",
        "requires_grad_",
        "reshape",
        "select",
        "squeeze",
        "t",
        "transpose",
        "unsqueeze",
    ]
)
"""Methods whose result has the type of the tensor."""


@dataclass(frozen=True)
class _Known:
    """What a name or an expression of the launcher stands for."""

    kind: str
    """"tensor", "number", or "dtype" for the type itself."""
    dtype: str


_Names = dict[str, _Known]


def passed_types(launch: Launch) -> dict[str, str]:
    """The element types that a launch shows, by the kernel's parameters."""
    if not isinstance(launch.launcher, ast.FunctionDef):
        return {}
    launcher = _Launcher(launch.module, launch.call)
    names = launcher.names_at(launch.launcher)
    reach = reach_of(launch.module, launch.launcher)
    end = launch.call.end_lineno or launch.call.lineno
    # Code that is not known may put other memory behind a tensor, of another type.
    names = {n: k for n, k in names.items() if k.kind == "dtype" or not reach.is_reached(n, end)}
    known = {p: launcher.infer(expr, names) for p, expr in launch.arguments.items()}
    return {p: k.dtype for p, k in known.items() if k is not None and k.kind != "dtype"}


class _Launcher:
    """Follows one function up to one call."""

    def __init__(self, module: Module, call: ast.Call) -> None:
        self._module = module
        self._call = call

    def names_at(self, launcher: ast.FunctionDef) -> _Names:
        """What is known of the names where the call stands."""
        arguments = launcher.args
        names: _Names = {}
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            dtype = self._annotated(argument.annotation)
            if dtype is not None:
                names[argument.arg] = _Known("tensor", dtype)
        self._block(launcher.body, names)
        for name in _bound_elsewhere(launcher):
            names.pop(name, None)
        return names

    def _annotated(self, annotation: ast.expr | None) -> str | None:
        if not isinstance(annotation, ast.Subscript):
            return None
        package, _, name = self._module.resolve(annotation.value).rpartition(".")
        return _JAXTYPING.get(name) if package == "jaxtyping" else None

    # Statements

    def _block(self, statements: Sequence[ast.stmt], names: _Names) -> bool:
        """Follow in order; True where the call was met, and `names` are those at the call."""
        for statement in statements:
            if self._holds_call(statement):
                self._enter(statement, names)
                return True
            self._pass(statement, names)
        return False

    def _holds_call(self, node: ast.AST) -> bool:
        return any(inner is self._call for inner in walk(node))

    def _enter(self, statement: ast.stmt, names: _Names) -> None:
        """Follow into the statement that the call stands in."""
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                holds = any(self._holds_call(s) for s in body)
                _forget(names, [test])
                self._learn(test, holds, names)
                self._block(body if holds else orelse, names)
            case ast.With(body=body):
                _forget(names, list(statement.items))
                self._block(body, names)
            case _:
                # Its statements may have run before, in part or more than once.
                _forget(names, [statement])
                for block in _blocks(statement):
                    if any(self._holds_call(inner) for inner in block):
                        self._block(block, names)

    def _pass(self, statement: ast.stmt, names: _Names) -> None:
        """What a statement that the call does not stand in changes."""
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                known = self.infer(value, names)
                _forget(names, [statement])
                if known is not None:
                    names[name] = known
            case ast.Assert(test=test):
                _forget(names, [test])
                self._learn(test, True, names)
            case ast.If(test=test, body=body, orelse=orelse):
                _forget(names, [test])
                then, other = dict(names), dict(names)
                self._learn(test, True, then)
                self._learn(test, False, other)
                self._block(body, then)
                self._block(orelse, other)
                ends = [n for n, block in ((then, body), (other, orelse)) if not _leaves(block)]
                names.clear()
                if ends:
                    names.update(i for i in ends[0].items() if all(i in e.items() for e in ends))
            case _:
                # The end of a `with` may be reached from anywhere inside: it may suppress errors.
                _forget(names, [statement])

    def _learn(self, test: ast.expr, holds: bool, names: _Names) -> None:
        """`x.dtype == torch.float16`, where it holds."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._learn(operand, not holds, names)
            case ast.BoolOp(op=op, values=values):
                if isinstance(op, ast.And) == holds:
                    for value in values:
                        self._learn(value, holds, names)
            case ast.Compare(
                left=ast.Attribute(value=ast.Name(id=name), attr="dtype"),
                ops=[op],
                comparators=[right],
            ):
                known = self.infer(right, names)
                equal = (
                    isinstance(op, (ast.Eq, ast.Is))
                    if holds
                    else isinstance(op, (ast.NotEq, ast.IsNot))
                )
                if equal and known is not None and known.kind == "dtype":
                    names[name] = _Known("tensor", known.dtype)

    # Expressions

    def infer(self, node: ast.expr, names: _Names) -> _Known | None:
        """What an expression is known to be."""
        match node:
            case ast.Constant(value=float()):
                return _Known("number", "fp32")
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return _Known("number", "int32") if abs(value) < 2**31 else None
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.IfExp(body=body, orelse=orelse):
                one, other = self.infer(body, names), self.infer(orelse, names)
                return one if one == other else None
            case ast.Subscript(value=value):
                return self._tensor(value, names)
            case ast.Attribute(value=value, attr=attribute):
                package, _, name = self._module.resolve(node).rpartition(".")
                if package == "torch":
                    return _Known("dtype", _DTYPES[name]) if name in _DTYPES else None
                tensor = self._tensor(value, names)
                if tensor is not None and attribute == "dtype":
                    return _Known("dtype", tensor.dtype)
                return tensor if attribute in ("T", "mT", "data") else None
            case ast.Call():
                return self._call_of(node, names)
        return None

    def _tensor(self, node: ast.expr, names: _Names) -> _Known | None:
        known = self.infer(node, names)
        return known if known is not None and known.kind == "tensor" else None

    def _call_of(self, node: ast.Call, names: _Names) -> _Known | None:
        keywords = {k.arg: k.value for k in node.keywords}
        if None in keywords or "out" in keywords:
            return None
        function = self._module.resolve(node.func)
        if function in _ALLOCATIONS or function in _ALIKE:
            if "dtype" in keywords:
                return self._of_dtype(keywords["dtype"], names)
            # Without a dtype it is torch's default, which anybody may set.
            return self._tensor(node.args[0], names) if function in _ALIKE and node.args else None
        if function or not isinstance(node.func, ast.Attribute):
            return None
        receiver, method = node.func.value, node.func.attr
        if method in _CASTS and not node.args:
            return _Known("tensor", _CASTS[method])
        if method == "to" or (method == "type" and not _is_text(node.args)):
            return self._cast(node, keywords, receiver, names)
        if method in _NEW and "dtype" in keywords:
            return self._of_dtype(keywords["dtype"], names)
        if method in _SAME_TYPE or method in _NEW or (method == "view" and _is_shape(node.args)):
            return self._tensor(receiver, names)
        return None

    def _cast(
        self,
        node: ast.Call,
        keywords: dict[str | None, ast.expr],
        receiver: ast.expr,
        names: _Names,
    ) -> _Known | None:
        """`x.to(torch.float16)`; `x.to("cuda")` keeps the type."""
        if "dtype" in keywords:
            return self._of_dtype(keywords["dtype"], names)
        known = [self.infer(argument, names) for argument in node.args]
        dtypes = [k.dtype for k in known if k is not None and k.kind == "dtype"]
        if dtypes:
            return _Known("tensor", dtypes[0])
        if all(_is_device(argument) for argument in node.args):
            return self._tensor(receiver, names)
        return None

    def _of_dtype(self, node: ast.expr, names: _Names) -> _Known | None:
        known = self.infer(node, names)
        if known is None or known.kind != "dtype":
            return None
        return _Known("tensor", known.dtype)


def _is_text(arguments: Sequence[ast.expr]) -> bool:
    """`x.type("torch.HalfTensor")`"""
    return any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in arguments)


def _is_device(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str() | int()):
            return True
        case ast.Attribute(attr="device"):
            return True
    return False


def _is_shape(arguments: Sequence[ast.expr]) -> bool:
    """Whether the arguments of `view` are sizes: a single name may be a type."""
    if len(arguments) > 1:
        return True
    return any(isinstance(a, (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List)) for a in arguments)


def _leaves(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _forget(names: _Names, nodes: Sequence[ast.AST]) -> None:
    """Forget every name that may be bound anew, or whose memory may be exchanged."""
    for outer in nodes:
        for node in walk(outer):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    names.pop(name, None)
                case ast.Attribute(value=ast.Name(id=name), attr="data", ctx=ast.Store()):
                    names.pop(name, None)
                case (
                    ast.FunctionDef(name=str() as name)
                    | ast.ClassDef(name=str() as name)
                    | ast.MatchAs(name=str() as name)
                    | ast.MatchStar(name=str() as name)
                    | ast.ExceptHandler(name=str() as name)
                ):
                    names.pop(name, None)
                case ast.alias(name=name, asname=local):
                    names.pop(local or name.partition(".")[0], None)


def _blocks(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of a compound statement: bodies, handlers, cases."""
    for _, part in ast.iter_fields(statement):
        items = part if isinstance(part, list) else []
        if items and isinstance(items[0], ast.stmt):
            yield items
        for item in items:
            if isinstance(item, (ast.ExceptHandler, ast.match_case)):
                yield item.body


def _bound_elsewhere(launcher: ast.FunctionDef) -> set[str]:
    """Names that other functions may bind: globals, and what inner functions bind.

    With `nonlocal`, these are the launcher's own.
    """
    found: set[str] = set()
    for inner in walk(launcher):
        if isinstance(inner, (ast.Global, ast.Nonlocal)):
            found.update(inner.names)
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and inner is not launcher:
            names = (node for node in walk(inner) if isinstance(node, ast.Name))
            found.update(name.id for name in names if not isinstance(name.ctx, ast.Load))
    return found
