"""Where arithmetic may be rounded to 16 bits or fewer, though the source does not say so.

What is loaded may be fp16 or bf16: a product of two such is rounded to 16
bits, and widening it afterwards does not bring the bits back. Nor may the rounding change of a
kernel that somebody matched to the bits of another library.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.facts.operations import Op
from tritonopt.facts.values import FLOAT_BITS, Value

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_ROUNDING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV})
_MIXING = _ROUNDING | {Op.MINIMUM, Op.MAXIMUM}
"""Operations whose result has the wider one of the operands' types."""

_OF_UNKNOWN_TYPE = frozenset(
    {Op.OPAQUE, Op.ONE_OF, Op.RESHAPED, Op.PART, Op.ELEMENT, Op.ATTRIBUTE, Op.TUPLE, Op.CAST}
)

_PROMOTING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.WHERE})
_KEEPING = frozenset({"abs", "exp", "exp2", "log", "log2", "sqrt"})


class Precision:
    """Answers for one kernel, remembered."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self._wide: dict[int, bool] = {}
        self._exact: dict[int, bool] = {}

    def narrow_steps(self, value: Value) -> Iterator[Value]:
        """The arithmetic that goes into a value and may be rounded to a narrow type."""
        return (v for v in value.walk() if v.op in _ROUNDING and not self.is_precise(v))

    def is_precise(self, value: Value) -> bool:
        """Whether a value is an integer, a pointer, or surely of 32 bits or more."""
        if self.is_wide(value):
            return True
        known = self._exact.get(value.serial)
        if known is None:
            known = self._exact[value.serial] = self._find_precise(value)
        return known

    def _find_precise(self, value: Value) -> bool:
        if value.dtype in FLOAT_BITS or value.op in _OF_UNKNOWN_TYPE:
            return False
        if value.dtype not in (None, "float", "int"):
            return True
        match value.op:
            case Op.LOAD:
                return value.number in self._facts.integers.loads
            case Op.CARRIED | Op.RESULT:
                loop, name = value.carrier
                return self.is_precise(self._facts.loops[loop].initial[name])
        return all(self.is_precise(operand) for operand in value.operands)

    def is_wide(self, value: Value) -> bool:
        """Whether a value is certain to be a tensor of floats of 32 bits or more."""
        known = self._wide.get(value.serial)
        if known is None:
            known = self._wide[value.serial] = self._find_wide(value)
        return known

    def _find_wide(self, value: Value) -> bool:
        if value.dtype in FLOAT_BITS:
            return FLOAT_BITS[value.dtype] >= 32
        match value.op:
            case Op.CARRIED | Op.RESULT:
                loop, name = value.carrier
                initial = self._facts.loops[loop].initial[name]
                # A Python float is fp32 from the first iteration on.
                return initial.dtype == "float" or self.is_wide(initial)
            case Op.REDUCE | Op.INSERT_AXES | Op.BROADCAST_TO | Op.NEG | Op.POS:
                return self.is_wide(value.operand)
            case Op.POW:
                return self.is_wide(value.left)
            case Op.WHERE | Op.PHI:
                sides = [s for s in (value.then, value.other) if s.dtype not in ("int", "float")]
                return bool(sides) and all(self.is_wide(side) for side in sides)
        return value.op in _MIXING and any(self.is_wide(operand) for operand in value.operands)


def check_pins(attempt: Attempt, facts: KernelFacts) -> None:
    """Nobody may have matched the kernel to another library's bits."""
    claim = "rounding-is-free"
    for node, what in facts.pinned_roundings:
        detail = f"{what} in line {node.lineno}: the kernel matches another library's bits"
        raise refuted(claim, "pinned-bits", detail)
    attempt.prove(claim, "no div_rn, sqrt_rn, fdiv or round trip through a narrow type")


def is_as_wide(value: Value, wanted: str) -> bool:
    """Whether an operand makes the result at least of that type of float."""
    if value.dtype == wanted:
        return True
    if value.op is Op.REDUCE and value.reduction.name == "sum":
        return is_as_wide(value.operand, wanted)
    sides = (value.then, value.other) if value.op is Op.WHERE else value.operands
    keeps = value.op in _PROMOTING or (
        value.op is Op.ELEMENTWISE and value.function.rsplit(".", 1)[-1] in _KEEPING
    )
    return keeps and any(is_as_wide(side, wanted) for side in sides)
