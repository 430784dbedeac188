"""Statements and operators of interpreted kernels, as the compiler reads them.

Compiled, `and`, `or` and `not` work element by element and evaluate both sides, unless a constant
decides; an assertion is evaluated, and checked only in debug mode. Interpreted they are
Python's, for which a block is true whatever it holds. Loops count with tensors, and a number is a
tensor once it is assigned, by whatever kind of assignment.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import operator
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from tritonopt.verification.worker.triton_interpreter.corrected import Refused

# Counters of loops in interpreted kernels: tensors, as the compiler makes them.
#
# Compiled, the counter of `range` and `tl.range` is a scalar tensor of the type that the bounds
# have together, int32 unless one of them is wider: `//` and `%` truncate, sums wrap around, and
# it has `.to` and `.dtype`. Interpreted it was a number of Python, which has none of this. The
# counter of `tl.static_range` is a constant of the compiler, so a number of Python stays.


class Counted:
    """What a loop runs over."""

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None, **options: Any) -> None:
        start, stop = (0, arg1) if arg2 is None else (arg1, arg2)
        bounds = (start, stop, 1 if step is None else step)
        self.dtype = _language().counter_type(bounds)
        self.start, self.stop, self.step = map(operator.index, bounds)
        if self.step <= 0 and isinstance(step, _language().tensor):
            if self.start < self.stop:
                raise Refused(f"a loop whose step is {self.step} at run time")
            self.step = 1

    def __iter__(self) -> Iterator[Any]:
        language, dtype = _language(), self.dtype
        handle, tensor, kind = language.handle, language.tensor, language.numpy_type(dtype)
        for number in range(self.start, self.stop, self.step):
            yield tensor(handle(np.array([number], kind), dtype), dtype)


def counting(iterable: Any) -> Any:
    """What a loop calls for its values: `range` counts with tensors."""
    return Counted if iterable is builtins.range else iterable


def _install_counters() -> None:
    """From now on `tl.range` does as well, in this process; `tl.static_range` stays."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    original: Callable[..., Any] = interpreter._patch_lang_core

    def patch(language: Any, *scope: Any) -> None:
        original(language, *scope)
        replace = scope[0].set_attr if scope else setattr
        replace(language, "range", Counted)

    interpreter._patch_lang_core = patch


class _Language:
    def __init__(self) -> None:
        interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        language: Any = importlib.import_module("triton.language")
        self.tensor, self.handle = language.tensor, interpreter.TensorHandle
        self.numpy_type = interpreter._get_np_dtype
        self._int32 = language.int32
        self._semantic = interpreter.interpreter_semantic

    def counter_type(self, bounds: tuple[Any, ...]) -> Any:
        found = self._int32
        for bound in bounds:
            if type(bound) is not int or not -(2**31) <= bound < 2**31:
                dtype = self._semantic.to_tensor(bound).dtype
                if not dtype.is_int():
                    raise TypeError(f"a loop counts with integers, not with {dtype}")
                if dtype is not found:
                    found = self._semantic.integer_promote_impl(found, dtype)
        return found


@cache
def _language() -> _Language:
    return _Language()


_MODULE = "_tritonopt_logic"
"""The name under which interpreted kernels find this module, among the names of their own."""


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
    _install_counters()


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
