"""What a lane comes to where the mask of a load is off: found by trying numbers.

A load gives such a lane its `other=`; without one the lane is undefined, and the hardware of today
reads 0 there. Whether a reduction notices is decided by evidence only: `tl.sum(x)` does not, but
`tl.sum(tl.exp(x))` and `tl.max(x)` do. What is loaded elsewhere is some number, loops run once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.polynomial import ZERO, Atom, Polynomial
from tritonopt.facts.effects import Guard
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.repetition import function_on_numbers
from tritonopt.facts.values import Value

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_TRIALS = 8
_ROUNDING = 1e-6
_INDICES = frozenset({Op.LANE, Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.ITERATION})
_CONNECTIVES = COMPARISONS | {Op.AND, Op.OR, Op.NOT, Op.BOTH, Op.EITHER}

Axes = tuple[tuple[bool, ...], ...]
"""The axes that are inserted into a value on the way up, innermost first."""


class _Unclear(Exception):
    """Something is computed from the lane that is not understood."""


def padding_is_noticed(
    facts: KernelFacts,
    reduction: str,
    operand: Value,
    load: int,
    off: Mapping[Atom, int],
    on: Mapping[Atom, int],
) -> bool | None:
    """Whether a reduction has another result with the lanes that are off; None where it is open.

    `load` is the load, by its place in the order of effects; `off` says which comparisons of
    indices hold in the lanes that its mask leaves out, `on` in the others.
    """
    try:
        guards = facts.interpretation.loads[load].guards
        pairs = [
            (
                _Lane(facts, trial, off, guards, load).of(operand),
                _Lane(facts, trial, on, guards).of(operand),
            )
            for trial in range(_TRIALS)
        ]
    except (_Unclear, ArithmeticError, ValueError, RecursionError):
        return None
    match reduction:
        case "sum":
            changed = [abs(held) > _ROUNDING for held, _ in pairs]
        case "prod":
            changed = [abs(held - 1) > _ROUNDING for held, _ in pairs]
        case "max" | "argmax":
            return any(inside < held - _ROUNDING for held, inside in pairs)
        case "min" | "argmin":
            return any(inside > held + _ROUNDING for held, inside in pairs)
        case _:
            return None
    # Where only some flags or numbers make a difference, the kernel may know why.
    return all(changed) or (None if any(changed) else False)


def zero_is_special(facts: KernelFacts, operand: Value, load: int, off: Mapping[Atom, int]) -> bool:
    """Whether a lane that reads 0 has no finite number, as in log(0), whatever else is loaded."""
    guards = facts.interpretation.loads[load].guards
    for trial in range(_TRIALS):
        try:
            if math.isfinite(_Lane(facts, trial, off, guards, load).of(operand)):
                return False
        except (ArithmeticError, ValueError):
            continue
        except (_Unclear, RecursionError):
            return False
    return True


def put_in(form: Polynomial, numbers: Mapping[Atom, int]) -> Polynomial:
    """A form in which some of its atoms are numbers."""
    total = ZERO
    for monomial, coefficient in form.terms.items():
        term = Polynomial.constant(coefficient)
        for atom, power in monomial:
            number = numbers.get(atom)
            term = term * (Polynomial.of(atom, power) if number is None else number**power)
        total = total + term
    return total


def widened(facts: KernelFacts, value: Value, axes: Axes) -> Value:
    """A value with the axes inserted that it gets on its way up."""
    for pattern in axes:
        if value.shape != ():
            value = facts.interpretation.table.insert_axes(value, pattern)
    return value


def _is_of_indices(value: Value) -> bool:
    """Whether it depends on where the lane is, and not just on what is loaded there."""
    todo, seen = [value], {value}
    while todo:
        part = todo.pop()
        if part.op in _INDICES:
            return True
        inside = [] if part.op is Op.LOAD else [o for o in part.operands if o not in seen]
        seen.update(inside)
        todo += inside
    return False


class _Lane:
    """One lane with numbers put in; `load` is the one whose mask is off there, if any is."""

    def __init__(
        self,
        facts: KernelFacts,
        trial: int,
        known: Mapping[Atom, int],
        guards: Sequence[Guard],
        load: int | None = None,
    ) -> None:
        self._facts = facts
        self._trial = trial
        self._known = known
        self._holding = {guard.condition: guard.holds for guard in guards}
        self._load = load
        other = None if load is None else facts.interpretation.loads[load].other
        self._is_filled = other is not None and not other.is_none
        self._numbers: dict[tuple[Value, Axes], float] = {}

    def of(self, value: Value, axes: Axes = ()) -> float:
        """The number that a value is in this lane. Raises _Unclear."""
        key = (value, axes)
        if key not in self._numbers:
            self._numbers[key] = self._compute(value, axes)
        return self._numbers[key]

    def _compute(self, value: Value, axes: Axes) -> float:
        operands = value.operands
        match value.op:
            case Op.CONST if isinstance(value.constant, int | float):
                return float(value.constant)
            case Op.LOAD:
                return self._loaded(value, axes)
            case Op.FULL | Op.BROADCAST_TO | Op.POS:
                return self.of(value.operand, axes)
            case Op.CAST:
                number = self.of(value.operand, axes)
                return float(int(number)) if "int" in (value.dtype or "") else number
            case Op.INSERT_AXES:
                return self.of(value.operand, (value.pattern, *axes))
            case Op.CARRIED:
                loop = self._facts.loops[value.carrier.loop]
                return self.of(loop.initial[value.carrier.name], axes)
            case Op.RESULT:
                loop = self._facts.loops[value.carrier.loop]
                return self.of(loop.following[value.carrier.name], axes)
            case Op.WHERE:
                return self.of(
                    value.then if self._holds(value.condition, axes) else value.other, axes
                )
            case Op.PHI if value.operands[0] in self._holding:
                side = value.then if self._holding[value.operands[0]] else value.other
                return self.of(side, axes)
            case Op.PHI:
                return self.of(random.Random(self._trial).choice((value.then, value.other)), axes)
            case Op.REDUCE:
                return self._anything(value)
        if value.op in _CONNECTIVES:
            decided = self._decided(value, axes)
            if decided is not None:
                return float(decided)
            if _is_of_indices(value):
                raise _Unclear
        compute = function_on_numbers(value)
        if compute is not None:
            return float(compute(*(self.of(operand, axes) for operand in operands)))
        if any(part.op is Op.LOAD for part in value.walk()):
            raise _Unclear
        return self._anything(value)

    def _loaded(self, value: Value, axes: Axes) -> float:
        load = self._facts.interpretation.loads[value.number]
        given = load.other is not None and not load.other.is_none
        if value.number == self._load:
            return self.of(load.other) if given and load.other is not None else 0.0
        masked = load.mask is not None and not load.mask.is_none
        decided = self._decided(value.mask, axes) if masked else True
        if decided is None and self._load is not None:
            raise _Unclear
        if decided is not False:
            if self._is_filled and value.shape != ():
                raise _Unclear  # these lanes have numbers of their own
            return self._anything(value)
        return self.of(load.other) if given and load.other is not None else 0.0

    def _holds(self, condition: Value, axes: Axes) -> bool:
        decided = self._decided(condition, axes)
        return bool(self.of(condition, axes)) if decided is None else decided

    def _decided(self, condition: Value, axes: Axes) -> bool | None:
        form = self._facts.forms.condition(widened(self._facts, condition, axes))
        constant = put_in(form, self._known).constant_value
        return None if constant is None else bool(constant)

    def _anything(self, value: Value) -> float:
        """Some number, the same for both kinds of lanes."""
        numbers = random.Random(f"{self._trial} {value.serial}")
        if value.op is Op.CONSTEXPR:
            return numbers.choice((0.0, 1.7))  # a flag, or a number
        if value.op in _INDICES or value.name in self._facts.integers.parameters:
            return float(numbers.randint(1, 9))
        if value.op is not Op.LOAD:
            return numbers.uniform(0.1, 4)
        return numbers.uniform(-4, 4)
