"""When a value is computed, and whether it is a truth value: what decides how operators act."""

from __future__ import annotations

from collections.abc import Sequence

from tritonopt.facts.effects import Loop
from tritonopt.facts.values import COMPARISONS, Op, Value, operands_first

_BITS: frozenset[Op] = frozenset({"and", "or", "xor", "invert", "not"})
BOOLEAN_OPERATORS = _BITS | frozenset[Op]({"both", "either"})
_ARITHMETIC: frozenset[Op] = frozenset({"add", "sub", "mul", "floordiv", "mod", "pow"})
_OTHERS: frozenset[Op] = frozenset({"neg", "pos", "shl", "shr", "is", "is not"})
_FUNCTIONS: frozenset[Op] = frozenset({"minimum", "maximum", "elementwise"})
_COMPUTED_WHEN_KNOWN = COMPARISONS | BOOLEAN_OPERATORS | _ARITHMETIC | _OTHERS | _FUNCTIONS
"""Operations that the compiler does itself, where it knows the operands."""


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
            case "const" | "constexpr" | "global" | "dtype":
                return "static"
            case "param" | "phi" | "opaque" | "tuple" | "part" | "element" | "attribute" | "one_of":
                return "either"
            case "in_branch":
                return self._when[value.operands[0].serial]
            case "trip":
                static = self._loops[value.number].kind.endswith("static_range")
                return "static" if static else "runtime"
            case "carried" | "result":
                static = self._loops[value.carrier.loop].kind.endswith("static_range")
                return "either" if static else "runtime"
        if value.op not in _COMPUTED_WHEN_KNOWN:
            return "runtime"
        parts = {self._when[o.serial] for o in value.operands}
        if "runtime" in parts:
            return "runtime"
        return "either" if "either" in parts else "static"


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
        if value.op in COMPARISONS or value.op in ("is", "is not"):
            return True
        if value.dtype in ("bool", "int1") and value.op != "invert":
            return True
        if value.op == "invert" and self._binding_times.of(value) == "static":
            return False  # Python's: ~True is -2
        if value.op in BOOLEAN_OPERATORS:
            return all(self.is_boolean(o) for o in value.operands)
        if value.op in ("insert_axes", "broadcast_to", "in_branch"):
            return self.is_boolean(value.operands[0])
        return False

    def wraps(self, value: Value) -> bool:
        """Whether this is arithmetic on single bits: True + True is False, but for constants."""
        return self._binding_times.of(value) != "static" and all(
            self.is_boolean(o) for o in value.operands
        )

    def is_complement(self, value: Value) -> bool:
        """Whether `~x` of this "invert" value is what `not x` is: Python's ~True is -2."""
        (operand,) = value.operands
        return self.is_boolean(operand) and self._binding_times.of(operand) != "static"
