"""What torch's own functions do to residues, between the launches of a launcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tritonopt.verification.algebra.carried import Carried
from tritonopt.verification.algebra.following import Run
from tritonopt.verification.algebra.laws import inverse, narrowed

_WIDTHS = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16}


class Unknown(Exception):
    """A form of a call that no law is written for."""


class Operand(NamedTuple):
    """A tensor or a number."""

    carried: Carried
    values: Any
    type_name: str
    """Of floats, as Triton calls it; nothing for whole numbers and Python's."""


Operands = Callable[[Any], Operand]


def _sum(
    run: Run,
    operand: Operands,
    result: Any,
    tensor: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
) -> Carried:
    given = operand(tensor)
    dim = axis if dim is None else dim
    axes = range(tensor.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    carried = given.carried
    for at in sorted((a % tensor.dim() for a in axes), reverse=True):
        carried = carried.summed(at)
    return carried.of(carried.residues.reshape(2, *result.shape))


def _mean(
    run: Run, operand: Operands, result: Any, tensor: Any, *rest: Any, **named: Any
) -> Carried:
    found = _sum(run, operand, result, tensor, *rest, **named)
    share = max(result.numel(), 1) / max(tensor.numel(), 1)
    return found.times(operand(share).carried)


def _binary(combine: Callable[[Carried, Carried], Carried]) -> Callable[..., Carried]:
    def law(run: Run, operand: Operands, result: Any, left: Any, right: Any) -> Carried:
        return combine(operand(left).carried, operand(right).carried)

    return law


def _reversed(combine: Callable[[Carried, Carried], Carried]) -> Callable[..., Carried]:
    return _binary(lambda left, right: combine(right, left))


def _divide(run: Run, operand: Operands, result: Any, left: Any, right: Any) -> Carried:
    below = operand(right)
    return operand(left).carried.times(inverse(run, below.carried, below.values))


def _inverted(run: Run, operand: Operands, result: Any, left: Any, right: Any) -> Carried:
    return _divide(run, operand, result, right, left)


def _negative(run: Run, operand: Operands, result: Any, tensor: Any) -> Carried:
    return operand(tensor).carried.negated()


_Law = Callable[..., Carried]


def _rounding(law: _Law) -> _Law:
    """The law, and the rounding to the type of the result, where that is a narrower one."""

    def rounded(run: Run, operand: Operands, result: Any, *args: Any, **named: Any) -> Carried:
        exact = law(run, operand, result, *args, **named)
        before, after = operand(args[0]), operand(result)
        if _WIDTHS.get(after.type_name, 0) >= _WIDTHS.get(before.type_name, 0):
            return exact
        values = np.broadcast_to(np.nan, after.values.shape)
        if before.values.shape == after.values.shape:
            values = before.values
        return narrowed(
            run, exact.spread(after.values.shape), values, after.values, after.type_name
        )

    return rounded


def _same(
    run: Run, operand: Operands, result: Any, tensor: Any, *rest: Any, **named: Any
) -> Carried:
    return operand(tensor).carried


LAWS: Mapping[str, _Law] = {
    "sum": _rounding(_sum),
    "mean": _rounding(_mean),
    "add": _binary(Carried.plus),
    "sub": _binary(Carried.minus),
    **dict.fromkeys(("rsub", "__rsub__"), _reversed(Carried.minus)),
    "mul": _binary(Carried.times),
    "div": _divide,
    "true_divide": _divide,
    **dict.fromkeys(("__rdiv__", "__rtruediv__"), _inverted),
    "neg": _negative,
    **dict.fromkeys(("to", "half", "bfloat16", "float", "type", "type_as"), _rounding(_same)),
}
"""By the name of torch's function or method; what takes more arguments is not known."""
