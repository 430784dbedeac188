"""Whether doing a computation again, on its own result, changes it: found by trying numbers.

`x * 2` in place, done twice, is not what it is once; `max(x, 0)` is, and so are a cast, a clamp
and `x - mean(x)`. One row of a few elements is computed, which one tile holds: sizes are its
length, loops run once, and what is loaded from elsewhere is some number.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from tritonopt.facts.effects import parts_of
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import Value

if TYPE_CHECKING:
    from tritonopt.facts.effects import Effect, Loop
    from tritonopt.facts.kernel_facts import KernelFacts

_LENGTH = 4
_ITERATIONS = 3
_TRIALS = 6
_MAX_NODES = 300
_ROUNDING = 1e-6
"""Of the size of the numbers; they are computed in double precision."""

Row = tuple[float, ...]
Axes = tuple[tuple[bool | None, ...], ...]
"""The axes that are inserted into a value on the way up, innermost first."""


class Unclear(ArithmeticError):
    """Something is computed from the numbers in a way that is not understood."""


def changes_when_repeated(facts: KernelFacts, stored: Value, element: frozenset[int]) -> bool:
    """Whether numbers were found for which doing it twice gives another result than once.

    `stored` is computed from the element that it replaces; `element` says which loads read it, by
    their place in the order of effects.
    """
    if sum(1 for _ in parts_of(facts.loops, stored)) > _MAX_NODES:
        return False
    return any(_differs(facts, stored, element, trial) for trial in range(_TRIALS))


def sweep_changes_when_repeated(
    facts: KernelFacts, store: Effect, element: frozenset[int], of_buffer: frozenset[int]
) -> bool:
    """The same for a loop that stores each of its elements, computed from those before as well.

    A prefix sum in place is the example: its first element stays as it is. `of_buffer` are all
    loads of the buffer; where one reads another element than that of its iteration, nothing is
    shown.
    """
    assert store.stored is not None
    parts = list(islice(parts_of(facts.loops, store.stored), _MAX_NODES + 1))
    read = {part.number for part in parts if part.op is Op.LOAD} & of_buffer
    if len(parts) > _MAX_NODES or not store.loops or read - element:
        return False
    return any(_sweep_differs(facts, store, element, trial) for trial in range(_TRIALS))


def _differs(facts: KernelFacts, stored: Value, element: frozenset[int], trial: int) -> bool:
    row = _some_row(random.Random(trial), trial)
    try:
        once = _Replaced(facts, element, row, trial).row(stored)
        twice = _Replaced(facts, element, once, trial).row(stored)
    except (ArithmeticError, ValueError):
        return False
    return _are_apart(once, twice)


def _sweep_differs(facts: KernelFacts, store: Effect, element: frozenset[int], trial: int) -> bool:
    numbers = random.Random(trial)
    rows = [_some_row(numbers, trial) for _ in range(_ITERATIONS)]
    try:
        once = _swept(facts, store, element, rows, trial)
        twice = _swept(facts, store, element, once, trial)
    except (ArithmeticError, ValueError, RecursionError):
        return False
    return any(map(_are_apart, once, twice))


def _swept(
    facts: KernelFacts, store: Effect, element: frozenset[int], rows: list[Row], trial: int
) -> list[Row]:
    """The elements after the loop, by iteration."""
    assert store.stored is not None
    found: list[Row] = []
    before: _Replaced | None = None
    for iteration, row in enumerate(rows):
        before = _Replaced(
            facts, element, row, trial, _Iteration(store.loops[-1], iteration, before)
        )
        here = all(bool(before.row(g.condition)[0]) == g.holds for g in store.guards)
        found.append(before.row(store.stored) if here else row)
    return found


def _some_row(numbers: random.Random, trial: int) -> Row:
    # Whole numbers every other time: bits can be counted on them only.
    return tuple(
        float(numbers.randint(-300, 300)) if trial % 2 else numbers.uniform(-4, 4)
        for _ in range(_LENGTH)
    )


def _are_apart(once: Row, twice: Row) -> bool:
    size = max(1.0, *map(abs, once))
    return all(map(math.isfinite, (*once, *twice))) and any(
        abs(a - b) > _ROUNDING * size for a, b in zip(once, twice, strict=True)
    )


@dataclass(frozen=True)
class _Iteration:
    """One of a loop, and what the one before has computed."""

    loop: Loop
    number: int
    before: _Replaced | None


class Computation:
    """Lanes with numbers put in; loops run once.

    `trial` decides which numbers are drawn: for one value the same each time.
    """

    def __init__(self, facts: KernelFacts, trial: int, lanes: int) -> None:
        self._facts = facts
        self._trial = trial
        self._lanes = lanes
        self._known: dict[tuple[Value, Axes], Row] = {}

    def row(self, value: Value, axes: Axes = ()) -> Row:
        """The numbers that a value is in the lanes. Raises Unclear."""
        if (value, axes) not in self._known:
            self._known[value, axes] = self._compute(value, axes)
        return self._known[value, axes]

    def _compute(self, value: Value, axes: Axes) -> Row:
        match value.op:
            case Op.CONST if isinstance(value.constant, int | float):
                return self._all(float(value.constant))
            case Op.CARRIED:
                loop = self._facts.loops[value.carrier.loop]
                return self.row(loop.initial[value.carrier.name], axes)
            case Op.RESULT:
                loop = self._facts.loops[value.carrier.loop]
                return self.row(loop.following[value.carrier.name], axes)
            case Op.FULL | Op.BROADCAST_TO | Op.POS:
                return self.row(value.operand, axes)
            case Op.INSERT_AXES:
                return self.row(value.operand, (value.pattern, *axes))
            case Op.CAST if value.dtype == "bool":
                return tuple(float(number != 0) for number in self.row(value.operand, axes))
            case Op.CAST if "int" in (value.dtype or ""):
                return tuple(float(int(number)) for number in self.row(value.operand, axes))
            case Op.CAST:
                return self.row(value.operand, axes)
        compute = function_on_numbers(value)
        if compute is None:
            return self._other(value)
        columns = zip(*(self.row(operand, axes) for operand in value.operands), strict=True)
        return tuple(float(compute(*numbers)) for numbers in columns)

    def _other(self, value: Value) -> Row:
        """What is computed in no way that is known."""
        raise Unclear

    def _all(self, number: float) -> Row:
        return (number,) * self._lanes

    def _draws(self, value: Value) -> random.Random:
        return random.Random(f"{self._trial} {value.serial}")


class _Replaced(Computation):
    """One row, of which some loads read what is replaced."""

    def __init__(
        self,
        facts: KernelFacts,
        element: frozenset[int],
        row: Row,
        trial: int,
        iteration: _Iteration | None = None,
    ) -> None:
        super().__init__(facts, trial, _LENGTH)
        self._iteration = iteration
        self._element = element
        self._given = row

    def _compute(self, value: Value, axes: Axes) -> Row:
        match value.op:
            case Op.LOAD if value.number in self._element:
                return self._given
            case Op.LANE:
                return tuple(map(float, range(_LENGTH)))
            case Op.PROGRAM_ID | Op.ITERATION:
                return self._all(float(self._iteration_number(value)))
            case Op.PARAM | Op.CONSTEXPR if value.name in self._facts.integers.parameters:
                return self._all(float(_LENGTH))
            case Op.CARRIED if self._iteration is not None and self._iteration.before is not None:
                loop = self._facts.loops[value.carrier.loop]
                if loop is self._iteration.loop:
                    return self._iteration.before.row(loop.following[value.carrier.name])
            case Op.REDUCE if value.reduction.name in _REDUCTIONS:
                return self._all(_REDUCTIONS[value.reduction.name](self.row(value.operand)))
            case Op.RESHAPED if (scan := _scan(value)) is not None:
                return scan(self.row(value.operand))
            case Op.WHERE | Op.PHI:
                condition, then, other = map(self.row, value.operands)
                return tuple(t if c else o for c, t, o in zip(condition, then, other, strict=True))
        return super()._compute(value, axes)

    def _iteration_number(self, value: Value) -> int:
        swept = self._iteration
        mine = (
            swept is not None and value.op is Op.ITERATION and value.number == swept.loop.identity
        )
        return swept.number if swept is not None and mine else 0

    def _other(self, value: Value) -> Row:
        """What is not computed from the element is some number, the same each time."""
        for part in parts_of(self._facts.loops, value):
            if part.op is Op.LOAD and part.number in self._element:
                raise Unclear
        numbers = self._draws(value)
        if value.op is Op.CONSTEXPR:
            return self._all(numbers.choice((0.0, 1.7)))  # a flag, or a number
        if value.shape == ():
            return self._all(numbers.uniform(0.1, 4))
        return tuple(numbers.uniform(-4, 4) for _ in range(_LENGTH))


def _scan(value: Value) -> Callable[[Row], Row] | None:
    """A function of a whole row; of a tile, along the axis that it is computed along."""
    return _SCANS.get(value.function)


def function_on_numbers(value: Value) -> Callable[..., float] | None:
    """What computes a value from the numbers that its operands are; None where it is not known."""
    name = value.function if value.op is Op.ELEMENTWISE else value.op.value
    return _FUNCTIONS.get(name.rpartition(".")[2])


def _whole(compute: Callable[[int, int], int]) -> Callable[[float, float], float]:
    def computed(a: float, b: float) -> float:
        if int(a) != a or int(b) != b:
            raise Unclear
        return float(compute(int(a), int(b)))

    return computed


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _softmax(row: Row) -> Row:
    powers = [math.exp(number - max(row)) for number in row]
    return tuple(power / math.fsum(powers) for power in powers)


_SCANS: Mapping[str, Callable[[Row], Row]] = {
    "cumsum": lambda row: tuple(accumulate(row)),
    "cumprod": lambda row: tuple(accumulate(row, operator.mul)),
    "softmax": _softmax,
}

_REDUCTIONS: Mapping[str, Callable[[Row], float]] = {"sum": math.fsum, "max": max, "min": min}

_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "fdiv": operator.truediv,
    "div_rn": operator.truediv,
    "floordiv": lambda a, b: float(math.trunc(a / b)),
    "mod": math.fmod,
    "pow": math.pow,
    "and": _whole(operator.and_),
    "or": _whole(operator.or_),
    "xor": _whole(operator.xor),
    "shl": _whole(operator.lshift),
    "shr": _whole(operator.rshift),
    "both": lambda a, b: a and b,
    "either": lambda a, b: a or b,
    "not": operator.not_,
    "neg": operator.neg,
    "minimum": min,
    "maximum": max,
    "clamp": lambda x, low, high: min(max(x, low), high),
    "fma": lambda x, y, z: x * y + z,
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "sqrt_rn": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "exp": math.exp,
    "exp2": lambda x: math.pow(2, x),
    "log": math.log,
    "log2": math.log2,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "erf": math.erf,
    "sigmoid": _sigmoid,
    **{op.value: getattr(operator, op.value) for op in COMPARISONS},
}
