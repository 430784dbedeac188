"""The reductions of a kernel's own text, and what a lane must hold for one not to notice it."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tritonopt.facts.language import REDUCTION_PARAMETERS
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

NEUTRAL = {
    "sum": 0.0,
    "max": -math.inf,
    "argmax": -math.inf,
    "min": math.inf,
    "argmin": math.inf,
    "prod": 1.0,
}
"""What a lane must hold for the reduction not to notice it."""

_OTHER_FORMS = {
    "reduce": ("input", "axis", "combine_fn", "keep_dims"),
    **{name: REDUCTION_PARAMETERS[name] for name in ("max", "min", "argmax", "argmin")},
}
"""Reductions whose result the facts do not follow: with a function, or with indices."""

_MOVES = {
    "sort": ("x", "dim", "descending"),
    "topk": ("x", "k", "dim"),
    "cumsum": ("input", "axis", "reverse"),
    "cumprod": ("input", "axis", "reverse"),
}
"""What gives each lane something of the others along the axis."""


@dataclass(frozen=True)
class Reduction:
    """A reduction of the kernel's own text."""

    node: ast.expr
    name: str
    operand: Value
    axes: frozenset[int]
    """The axes that are reduced, counted from the right."""
    alike: str = ""
    """The reduction that notices what this one does, where it has another name."""

    @property
    def noticing(self) -> str:
        return self.alike or self.name


def reductions_of(facts: KernelFacts) -> list[Reduction]:
    """In source order, each once."""
    found: dict[Value, Reduction] = {}
    for node, value in facts.values.items():
        if isinstance(node, ast.Call) and value not in found:
            reduction = _reduction(node, value)
            if reduction is not None and reduction.name == "reduce" and _multiplies(facts, node):
                reduction = replace(reduction, name="prod")
            if reduction is not None:
                found[value] = reduction
    return sorted(found.values(), key=lambda r: (r.node.lineno, r.node.col_offset))


def _reduction(node: ast.expr, value: Value) -> Reduction | None:
    if value.op is Op.REDUCE:
        operand, name, axes = value.operand, value.reduction.name, value.reduction.axes
        if operand.rank is None:
            return None
        return Reduction(node, name, operand, frozenset(operand.rank - 1 - a for a in axes))
    match value.op, value.attribute:
        case Op.RESHAPED, (str() as name, tuple() as keywords) if name in _MOVES:
            return _moving(node, value, name, keywords)
        case Op.RESHAPED, (str() as name, tuple() as keywords) if name in _OTHER_FORMS:
            pass
        case _:
            return None
    given = _given(value, _OTHER_FORMS[name], keywords)
    operand = given.get("input", value)
    rank, axis = operand.rank, given.get("axis")
    if not rank:
        return None
    if axis is None or axis.is_none:
        return Reduction(node, name, operand, frozenset(range(rank)))
    if not isinstance(axis.constant, int):
        return None
    return Reduction(node, name, operand, frozenset({rank - 1 - axis.constant % rank}))


def _given(
    value: Value, parameters: tuple[str, ...], keywords: tuple[str, ...]
) -> dict[str, Value]:
    positional = len(value.operands) - len(keywords)
    return dict(zip((*parameters[:positional], *keywords), value.operands, strict=False))


def _moving(node: ast.expr, value: Value, name: str, keywords: tuple[str, ...]) -> Reduction | None:
    """A sort, or a scan from the end: one from the start comes to the lanes behind it last."""
    first, *others = _MOVES[name]
    given = _given(value, _MOVES[name], keywords)
    operand = given.get(first, value.operands[0])
    axis = given.get("axis" if "axis" in others else "dim")
    turned = given.get(others[-1])
    if not operand.rank:
        return None
    along = 0
    if axis is not None and not axis.is_none:
        if not isinstance(axis.constant, int):
            return None
        along = operand.rank - 1 - axis.constant % operand.rank
    elif "axis" in others:
        along = operand.rank - 1  # scans go along axis 0 where nothing is said
    falls = name == "topk" or (turned is not None and turned.constant is True)
    if name in ("sort", "topk"):
        return Reduction(node, name, operand, frozenset({along}), "max" if falls else "min")
    alike = "sum" if name == "cumsum" else "prod"
    return Reduction(node, name, operand, frozenset({along}), alike) if falls else None


def _multiplies(facts: KernelFacts, reduction: ast.Call) -> bool:
    """Whether the function that a `tl.reduce` is given is the product of its two parameters."""
    names = {
        n.id
        for n in (*reduction.args, *(k.value for k in reduction.keywords))
        if isinstance(n, ast.Name)
    }
    for combine in facts.kernel.module.kernels:
        if combine.name in names and len(combine.node.body) == 1:
            match combine.node.body[0]:
                case ast.Return(
                    value=ast.BinOp(left=ast.Name(id=a), op=ast.Mult(), right=ast.Name(id=b))
                ):
                    return {a, b} == {p.name for p in combine.parameters} and a != b
    return False
