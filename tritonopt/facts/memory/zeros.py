"""What a lane comes to where a masked load reads 0: found by trying numbers.

A load without `other=` leaves the lanes undefined where its mask is off; the hardware of today
reads 0 there. Whether a reduction notices is decided by evidence only: `tl.sum(x)` does not, but
`tl.sum(tl.exp(x))` and `tl.max(x)` do. What is loaded elsewhere is some number, loops run once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.polynomial import ZERO, Atom, Polynomial
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


def zero_is_noticed(
    facts: KernelFacts,
    reduction: str,
    operand: Value,
    load: int,
    off: Mapping[Atom, int],
    on: Mapping[Atom, int],
) -> bool | None:
    """Whether a reduction has another result with the lanes that read 0; None where that is open.

    `load` is the load, by its place in the order of effects; `off` says which comparisons of
    indices hold in the lanes that its mask leaves out, `on` in the others.
    """
    try:
        pairs = [
            (_Lane(facts, trial, off, load).of(operand), _Lane(facts, trial, on).of(operand))
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


def is_finite_everywhere(term: Value) -> bool:
    """Whether 0 times the term is 0 for indices past the end too.

    `0 * (1 / (N - i))` is NaN where `i` is N: no quotient and no function may be of an index. Nor
    may infinity stand in the term, as the `other` of a load.
    """
    parts = list(term.walk())
    if any(isinstance(p.constant, float) and math.isinf(p.constant) for p in parts):
        return False
    return not any(
        part.op in (Op.ITERATION, Op.LANE)
        for outer in parts
        if outer.op in (Op.DIV, Op.ELEMENTWISE)
        for operand in (outer.operands[1:] if outer.op is Op.DIV else outer.operands)
        for part in operand.walk()
    )


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
    """One lane with numbers put in; `load` is the one that reads 0 there, if any does."""

    def __init__(
        self,
        facts: KernelFacts,
        trial: int,
        known: Mapping[Atom, int],
        load: int | None = None,
    ) -> None:
        self._facts = facts
        self._trial = trial
        self._known = known
        self._load = load
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
        if value.number == self._load:
            return 0.0
        load = self._facts.interpretation.loads[value.number]
        if load.mask is None or load.mask.is_none:
            return self._anything(value)
        decided = self._decided(load.mask, axes)
        if decided is None and self._load is not None:
            raise _Unclear
        if decided is not False:
            return self._anything(value)
        given = load.other is not None and not load.other.is_none
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
