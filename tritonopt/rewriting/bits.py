"""What moving code does to the bits of a compiled result."""

from __future__ import annotations

from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.operations import Op
from tritonopt.facts.values import is_integer, reachable
from tritonopt.rewriting.model import Bits


def bits_when_code_moves(facts: KernelFacts) -> Bits:
    """What may change where the same operations run in other blocks of the compiled kernel.

    The compiler chooses the layout of a tile from what is around it, and with it the order of a
    reduction; and it makes one operation of a multiplication and an addition that meet in a block.
    """
    values = list(reachable(facts.values.values()))
    if any(
        v.op in (Op.REDUCE, Op.RESHAPED, Op.ONE_OF, Op.OPAQUE) and not is_integer(v.dtype)
        for v in values
    ):
        return Bits.REDUCTION_ORDER
    multiplies = any(v.op is Op.MUL and not _is_index(facts, v) for v in values)
    return Bits.CONTRACTION if multiplies else Bits.SAME


def _is_index(facts: KernelFacts, value: Value) -> bool:
    return is_integer(value.dtype) or facts.forms.is_integer(facts.forms.of(value))
