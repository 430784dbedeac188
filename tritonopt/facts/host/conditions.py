"""What a launcher has checked: the condition behind a statement, and what it is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt.facts.host import torch_api
from tritonopt.source.module import Module


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
