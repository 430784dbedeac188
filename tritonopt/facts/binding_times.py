"""When a value is computed, and whether it is a truth value: what decides how operators act."""

from __future__ import annotations

from collections.abc import Sequence

from tritonopt.facts.effects import Loop
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import Value, operands_first

_BITS = frozenset({Op.AND, Op.OR, Op.XOR, Op.INVERT, Op.NOT})
BOOLEAN_OPERATORS = _BITS | {Op.BOTH, Op.EITHER}
_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.FLOORDIV, Op.MOD, Op.POW})
_OTHERS = frozenset({Op.NEG, Op.POS, Op.SHL, Op.SHR, Op.IS, Op.IS_NOT})
_FUNCTIONS = frozenset({Op.MINIMUM, Op.MAXIMUM, Op.CDIV, Op.ELEMENTWISE})
_ROUNDED = frozenset({Op.FLOORDIV, Op.MOD, Op.CDIV})
"""These say when, where they are made of an assigned name, which is a tensor."""
_COMPUTED_WHEN_KNOWN = COMPARISONS | BOOLEAN_OPERATORS | _ARITHMETIC | _OTHERS | _FUNCTIONS
"""Operations that the compiler does itself, where it knows the operands."""
_EITHER = frozenset(
    {Op.PARAM, Op.PHI, Op.OPAQUE, Op.TUPLE, Op.PART, Op.ELEMENT, Op.ATTRIBUTE, Op.ONE_OF}
)


class BindingTimes:
    """Answers for one kernel, remembered."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        self._loops = loops
        self._when: dict[int, str] = {}

    def of(self, value: Value) -> str:
        """When a value is computed: "static" (by the compiler), "runtime", or "either".

        A parameter is either: the compiler knows an argument that is 1.
        """
        known = self._when.get(value.serial)
        if known is None:
            # Operands first, so that a long chain is no deep recursion.
            for part in operands_first(value, self._when):
                self._when[part.serial] = self._computed(part)
            known = self._when[value.serial]
        return known

    def _computed(self, value: Value) -> str:
        match value.op:
            case Op.CONST | Op.CONSTEXPR | Op.GLOBAL | Op.DTYPE:
                return "static"
            case op if op in _EITHER:
                return "either"
            case Op.IN_BRANCH:
                return self._when[value.operand.serial]
            case Op.ITERATION:
                static = self._loops[value.number].kind.endswith("static_range")
                return "static" if static else "runtime"
            case Op.CARRIED | Op.RESULT:
                static = self._loops[value.carrier.loop].kind.endswith("static_range")
                return "either" if static else "runtime"
        if value.op not in _COMPUTED_WHEN_KNOWN:
            return "runtime"
        parts = {self._when[o.serial] for o in value.operands}
        if "runtime" in parts:
            return "runtime"
        if "either" in parts or value.op in (Op.MINIMUM, Op.MAXIMUM):
            return "either"  # `tl.minimum` makes a tensor of numbers, `min` does not
        return str(value.attribute) if value.op in _ROUNDED and value.attribute else "static"


class TruthValues:
    """Which values are true or false and nothing else."""

    def __init__(self, binding_times: BindingTimes) -> None:
        self._binding_times = binding_times
        self._boolean: dict[int, bool] = {}

    def is_boolean(self, value: Value) -> bool:
        known = self._boolean.get(value.serial)
        if known is None:
            known = self._boolean[value.serial] = self._computes_boolean(value)
        return known

    def _computes_boolean(self, value: Value) -> bool:
        if value.op in COMPARISONS or value.op in (Op.IS, Op.IS_NOT):
            return True
        if value.dtype in ("bool", "int1") and value.op is not Op.INVERT:
            return True
        if value.op is Op.INVERT and self._binding_times.of(value) == "static":
            return False  # Python's: ~True is -2
        if value.op in BOOLEAN_OPERATORS:
            return all(self.is_boolean(o) for o in value.operands)
        if value.op in (Op.INSERT_AXES, Op.BROADCAST_TO, Op.IN_BRANCH):
            return self.is_boolean(value.operand)
        return False

    def wraps(self, value: Value) -> bool:
        """Whether this is arithmetic on single bits: True + True is False, but for constants."""
        return self._binding_times.of(value) != "static" and all(
            self.is_boolean(o) for o in value.operands
        )

    def is_complement(self, value: Value) -> bool:
        """Whether `~x` of this "invert" value is what `not x` is: Python's ~True is -2."""
        inside = value.operand
        return self.is_boolean(inside) and self._binding_times.of(inside) != "static"
