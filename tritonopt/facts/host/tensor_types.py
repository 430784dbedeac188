"""What a launcher shows of the element types of what it passes to a kernel.

The launcher is followed statement by statement up to the launch. A type is
known where a tensor is allocated with a `dtype=`, cast (`x.half()`), compared
(`assert x.dtype == torch.float16`) or annotated in the jaxtyping way; it stays
known through views and copies, and is forgotten as soon as it is in doubt.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.local_names import leaves, names_bound_in, names_of
from tritonopt.facts.host.reach import reach_of
from tritonopt.facts.host.tensor_expressions import allocation
from tritonopt.facts.host.truths import conjuncts
from tritonopt.source import Launch, Module
from tritonopt.source.suppressions import is_suppression
from tritonopt.source.trees import blocks_of, walk


@dataclass(frozen=True)
class _Known:
    """What a name or an expression of the launcher stands for."""

    kind: str
    """"tensor", "number", or "dtype" for the type itself."""
    dtype: str


_Names = dict[str, _Known]


_COMMENT = re.compile(r"#\s*tritonopt:\s*(\S.*)")
_NOTED = re.compile(r"(?:^|, *)(\w+): *i(8|16|32|64)\[")
"""Of indices and lengths, as `verify` reads them: `# tritonopt: starts: i32[b + 1]`."""


def comment_above(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What the comment right above a function says of its arguments; of several the nearest, which
    `verify` reads."""
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    for line in reversed(module.lines.texts[: first - 1]):
        if not line.lstrip().startswith("#"):
            break
        said = _COMMENT.search(line)
        if said is not None and not is_suppression(line.strip()):
            return said[1]
    return ""


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
        names: _Names = {}
        local = names_of(launcher)
        noted = dict(_NOTED.findall(comment_above(self._module, launcher)))
        for argument in local.arguments:
            dtype = self._annotated(argument.annotation)
            if dtype is None and argument.arg in noted:
                dtype = f"int{noted[argument.arg]}"
            if dtype is not None:
                names[argument.arg] = _Known("tensor", dtype)
        self._block(launcher.body, names)
        for name in local.declared | local.stored_by_inner:
            names.pop(name, None)
        return names

    def _annotated(self, annotation: ast.expr | None) -> str | None:
        if not isinstance(annotation, ast.Subscript):
            return None
        package, _, name = self._module.resolve(annotation.value).rpartition(".")
        return torch_api.JAXTYPING.get(name) if package == "jaxtyping" else None

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
                for block in blocks_of(statement):
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
                ends = [n for n, block in ((then, body), (other, orelse)) if not leaves(block)]
                names.clear()
                if ends:
                    names.update(i for i in ends[0].items() if all(i in e.items() for e in ends))
            case _:
                # The end of a `with` may be reached from anywhere inside: it may suppress errors.
                _forget(names, [statement])

    def _learn(self, test: ast.expr, holds: bool, names: _Names) -> None:
        """`x.dtype == torch.float16`, where it holds."""
        for part, is_true in conjuncts(test, holds):
            match part:
                case ast.Compare(
                    left=ast.Attribute(value=ast.Name(id=name), attr="dtype"),
                    ops=[op],
                    comparators=[right],
                ):
                    known = self.infer(right, names)
                    equal = (ast.Eq, ast.Is) if is_true else (ast.NotEq, ast.IsNot)
                    if isinstance(op, equal) and known is not None and known.kind == "dtype":
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
                    dtype = torch_api.dtype_named(name)
                    return _Known("dtype", dtype) if dtype is not None else None
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
        made = allocation(self._module, node)
        if made is not None and made.dtype is not None:
            return self._of_dtype(made.dtype, names)
        if made is not None:
            # Without a dtype it is torch's default, which anybody may set.
            return None if made.typed_like is None else self._tensor(made.typed_like, names)
        if self._module.resolve(node.func) or not isinstance(node.func, ast.Attribute):
            return None
        receiver, method = node.func.value, node.func.attr
        if method in torch_api.CASTS and not node.args:
            return _Known("tensor", torch_api.CASTS[method])
        if method == "to" or (method == "type" and not _is_text(node.args)):
            return self._cast(node, keywords, receiver, names)
        keeps = method in torch_api.SAME_TYPE or torch_api.is_in_place(method)
        if keeps or (method == "view" and _is_shape(node.args)):
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


def _forget(names: _Names, nodes: Sequence[ast.AST]) -> None:
    """Forget every name that may be bound anew, or whose memory may be exchanged."""
    for node in nodes:
        for name in names_bound_in(node):
            names.pop(name, None)
