"""How expressions of a launcher make tensors: new ones, views, and what asks for their shapes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.facts.host import torch_api
from tritonopt.source.module import Module


@dataclass(frozen=True)
class Allocation:
    """A call that gives new memory."""

    sizes: tuple[ast.expr, ...] | None = None
    shaped_like: ast.expr | None = None
    """The tensor whose sizes it has, where it is called with those."""
    typed_like: ast.expr | None = None
    """The tensor whose type it has, unless it is called with one."""
    dtype: ast.expr | None = None
    method_of: ast.expr | None = None
    """What it is called on as a method, a tensor or not."""
    may_reuse: bool = False
    """Whether the memory may be another's: `out=`, or `**` that may hold it."""


def allocation(module: Module, call: ast.Call) -> Allocation | None:
    """What a call allocates; None where it is not known to give new memory."""
    name = module.resolve(call.func)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    dtype = keywords.get("dtype")
    may_reuse = "out" in keywords or None in keywords
    if name in torch_api.ALLOCATIONS_LIKE:
        given = call.args[0] if call.args else None
        return Allocation(None, given, given, dtype, None, may_reuse)
    if name in torch_api.ALLOCATIONS:
        sizes, like = None, None
        if name in torch_api.SIZED_ALLOCATIONS:
            sizes, like = _sizes(call.args, flat=name != "torch.full")
        return Allocation(sizes, like, None, dtype, None, may_reuse)
    if name or not isinstance(call.func, ast.Attribute):
        return None
    tensor, method = call.func.value, call.func.attr
    if method in torch_api.NEW:
        sizes, like = _sizes(call.args, flat=method != "new_full")
        return Allocation(sizes, like, tensor, dtype, tensor, may_reuse)
    if method in torch_api.ALLOCATING:
        like = tensor if method in torch_api.SAME_SHAPE else None
        return Allocation(None, like, tensor, dtype, tensor, may_reuse)
    return None


def _sizes(
    arguments: Sequence[ast.expr], flat: bool
) -> tuple[tuple[ast.expr, ...] | None, ast.expr | None]:
    """The sizes in `(m, n)`, in `m, n` where they may stand `flat`, or the tensor of `x.shape`."""
    if not arguments:
        return None, None
    like = shape_of(arguments[0])
    if like is not None:
        return None, like
    match arguments[0]:
        case ast.Tuple(elts=sizes) | ast.List(elts=sizes):
            pass
        case _ if flat:
            sizes = list(arguments)
        case _:
            return None, None
    return (None if any(isinstance(s, ast.Starred) for s in sizes) else tuple(sizes)), None


def shape_of(expression: ast.expr) -> ast.expr | None:
    """The tensor of which `x.shape` or `x.size()` gives all sizes."""
    match expression:
        case ast.Attribute(value=tensor, attr="shape"):
            return tensor
        case ast.Call(func=ast.Attribute(value=tensor, attr="size"), args=[], keywords=[]):
            return tensor
    return None


def viewed(
    expression: ast.expr, methods: frozenset[str] = torch_api.MAY_BE_VIEWS
) -> ast.expr | None:
    """The tensor that an expression is a view of, in one step; None where it is no view."""
    match expression:
        case ast.Call(func=ast.Attribute(value=tensor, attr=method)) if method in methods:
            return tensor
        case ast.Attribute(value=tensor, attr=attribute) if (
            attribute == "data" or attribute in torch_api.VIEW_ATTRIBUTES
        ):
            return tensor
    return None


def same_shape(module: Module, call: ast.Call) -> ast.expr | None:
    """The tensor whose sizes the result of `x.contiguous()`, `x.half()` and the like has."""
    match call.func:
        case ast.Attribute(value=tensor, attr=method) if method in torch_api.SAME_SHAPE:
            return None if module.resolve(call.func) else tensor
    return None


def integer(index: ast.expr | None) -> int | None:
    """A whole number that is written out, as an index counts from the start or from the end."""
    match index:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = integer(operand)
            return None if number is None else -number
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
    return None
