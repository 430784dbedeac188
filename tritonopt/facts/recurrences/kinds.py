"""Kinds of reductions: the operations that may combine the iterations of a loop in any order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum

from tritonopt.facts.operations import Op


class Kind(Enum):
    """An associative and commutative operation, lane by lane and over the lanes of a tile."""

    noun: str
    """What comes out, for messages."""
    operation: Op
    identity: float
    """What changes nothing when it is combined with a value."""
    reduction: str
    """The function of `triton.language` that reduces a tile with it; "" where there is none."""
    symbol: str
    """The operator, where it is one of Python's."""

    def __new__(
        cls, noun: str, operation: Op, identity: float, reduction: str, symbol: str
    ) -> Kind:
        kind = object.__new__(cls)
        kind._value_ = kind.noun = noun
        kind.operation, kind.identity = operation, identity
        kind.reduction, kind.symbol = reduction, symbol
        return kind

    ADD = "sum", Op.ADD, 0, "sum", "+"
    MUL = "product", Op.MUL, 1, "", "*"
    MAX = "maximum", Op.MAXIMUM, -math.inf, "max", ""
    MIN = "minimum", Op.MINIMUM, math.inf, "min", ""
    AND = "and", Op.AND, -1, "", "&"
    OR = "or", Op.OR, 0, "reduce_or", "|"
    XOR = "xor", Op.XOR, 0, "xor_sum", "^"

    @property
    def repeats(self) -> bool:
        """Whether to combine a value with itself changes nothing: `tl.maximum(x, x)` is x."""
        return self in (Kind.MAX, Kind.MIN, Kind.AND, Kind.OR)

    @property
    def rounds(self) -> bool:
        """Whether the order matters to the rounding of floats."""
        return self in (Kind.ADD, Kind.MUL)

    @property
    def atomic(self) -> str:
        """The function of `triton.language` that combines an element in memory with a value."""
        extreme = self in (Kind.MAX, Kind.MIN)
        return f"atomic_{self.reduction if extreme else self.operation}"


BY_OPERATION: Mapping[Op, Kind] = {kind.operation: kind for kind in Kind}
BY_REDUCTION: Mapping[str, Kind] = {kind.reduction: kind for kind in Kind if kind.reduction}
EXTREMES: Mapping[str, Kind] = {kind.noun: kind for kind in (Kind.MAX, Kind.MIN)}
"""By the function of two operands, `tl.maximum` and `tl.minimum`."""
NUMERIC = (Kind.ADD, Kind.MAX, Kind.MIN)
"""What tiles and memory are reduced with in every version of Triton."""
NUMERIC_REDUCTIONS: Mapping[str, Kind] = {kind.reduction: kind for kind in NUMERIC}
