"""Statements and operators of interpreted kernels, as the compiler reads them.

Compiled, `and`, `or` and `not` work element by element and evaluate both sides, unless a constant
decides; an assertion is evaluated, and checked only in debug mode. Interpreted they are
Python's, for which a block is true whatever it holds. Loops count with tensors (see `counters`),
and a number is a tensor once it is assigned, by whatever kind of assignment.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any

from tritonopt.verification.worker.triton_interpreter import counters

_MODULE = "_tritonopt_logic"
"""The name under which interpreted kernels find this module, among the names of their own."""

counting = counters.counting


def install() -> None:
    """From now on kernels are interpreted so, where the interpreter rewrites their source."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    rewriter: Any = getattr(interpreter, "FunctionRewriter", None)
    before: Any = getattr(rewriter, "ast_transformer", None)
    if before is None or not hasattr(type(before), "visit_Assign"):
        # What such a version gets wrong stays refused.
        return

    class Transformer(type(before)):  # type: ignore[misc]  # known at run time only
        def visit_Assign(self, node: ast.Assign) -> Any:
            # Triton's own leaves the value as it is.
            node.value = self.visit(node.value)
            return super().visit_Assign(node)

        def visit_AugAssign(self, node: ast.AugAssign) -> Any:
            if not isinstance(node.target, ast.Name):
                return self.generic_visit(node)
            read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            return self.visit(ast.copy_location(ast.Assign([node.target], value), node))

        def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
            if node.value is None or "constexpr" in ast.unparse(node.annotation):
                return self.generic_visit(node)
            return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

        def visit_For(self, node: ast.For) -> Any:
            for call in ast.walk(node.iter):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    call.func = _called("counting", [call.func], call.func)
            return self.generic_visit(node)

        def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
            name = "every" if isinstance(node.op, ast.And) else "some"
            return _called(name, [_later(self.visit(v)) for v in node.values], node)

        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
            node.operand = self.visit(node.operand)
            negation = isinstance(node.op, ast.Not)
            return _called("negated", [node.operand], node) if negation else node

        def visit_Assert(self, node: ast.Assert) -> ast.Expr:
            return ast.copy_location(ast.Expr(self.visit(node.test)), node)

    original = rewriter.rewrite_ast

    def rewrite_ast(this: Any) -> Any:
        # Triton's own functions (`tl.rand`) had their rewriter before this one was installed.
        this.fn.__globals__.setdefault(_MODULE, sys.modules[__name__])
        return original(this)

    rewriter.rewrite_ast = rewrite_ast
    rewriter.ast_transformer = Transformer()
    counters.install()


def _called(name: str, arguments: list[ast.expr], place: ast.expr) -> ast.expr:
    function = ast.Attribute(ast.Name(_MODULE, ast.Load()), name, ast.Load())
    return ast.copy_location(ast.Call(function, arguments, []), place)


def _later(value: ast.expr) -> ast.expr:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, value)


def every(*operands: Callable[[], Any]) -> Any:
    """`a and b`: a constant that is false ends it, one that is true has no part in it."""
    return _combined(operands, "logical_and", False)


def some(*operands: Callable[[], Any]) -> Any:
    """`a or b`."""
    return _combined(operands, "logical_or", True)


def _combined(operands: tuple[Callable[[], Any], ...], method: str, deciding: bool) -> Any:
    found: Any = None
    value: Any = None
    for operand in operands:
        value = operand()
        if _is_tensor(value):
            found = value if found is None else getattr(found, method)(value)
        elif bool(value) is deciding:
            return value
    return value if found is None else found


def negated(operand: Any) -> Any:
    """`not a`."""
    return operand.__not__() if _is_tensor(operand) else not operand


def _is_tensor(value: Any) -> bool:
    return isinstance(value, importlib.import_module("triton.language").tensor)
