"""One lane of a reduction with numbers put in: what a masked load gives it, or what memory holds.

On the way from a load to a reduction axes are inserted, and they go, where a reduction or a
product of matrices comes between: `Axes` are these steps, from the load on.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Lane
from tritonopt.facts.algebra.polynomial import Atom, put_in
from tritonopt.facts.effects import Guard
from tritonopt.facts.operations import COMPARISONS, ELEMENTWISE, Op
from tritonopt.facts.repetition import Axes, Computation, Row, Unclear
from tritonopt.facts.values import Value, ValueTable

_TRIALS = 8
MOST_STEPS = 6
_ROUNDING = 1e-6
_TRANSPOSITIONS = frozenset({"trans", "permute", "T"})
_INDICES = frozenset({Op.LANE, Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.ITERATION})
_CONNECTIVES = COMPARISONS | {Op.AND, Op.OR, Op.NOT, Op.BOTH, Op.EITHER}


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
        flipped = (atom for atom in off if off[atom] != on.get(atom))
        carried = frozenset(
            leaf.axis for atom in flipped for leaf in atom.leaves() if isinstance(leaf, Lane)
        )
        pairs = [
            (
                _Lane(facts, trial, off, guards, load, carried).of(operand),
                _Lane(facts, trial, on, guards, masked=carried).of(operand),
            )
            for trial in range(_TRIALS)
        ]
    except (ArithmeticError, ValueError, RecursionError):
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
        except (Unclear, RecursionError):
            return False
        except (ArithmeticError, ValueError):
            continue
    return True


def decided_by(
    facts: KernelFacts, condition: Value, axes: Axes, known: Mapping[Atom, int]
) -> bool | None:
    """Whether a condition holds where some comparisons are known; None if they do not decide it."""
    form = facts.forms.condition(widened(facts, condition, axes))
    constant = put_in(form, known).constant_value
    return None if constant is None else bool(constant)


def widened(facts: KernelFacts, value: Value, axes: Axes) -> Value:
    """A value with the axes inserted that it gets on its way up, and without those that go."""
    for step in axes:
        if value.shape != ():
            value = _rearranged(facts.interpretation.table, value, step)
    return value


def _rearranged(table: ValueTable, value: Value, step: tuple[bool | None, ...]) -> Value:
    """A value after one step; what varies along an axis that goes is not known."""
    if True in step:
        return table.insert_axes(value, tuple(map(bool, step)))
    if value.shape == () or value.rank != (len(step) or 2):
        return value
    if value.op in ELEMENTWISE and all(o.rank in (0, value.rank) for o in value.operands):
        parts = [_rearranged(table, operand, step) for operand in value.operands]
        return table.elementwise(value.op, parts, value.attribute, value.dtype)
    if value.op is Op.INSERT_AXES:
        pattern = value.pattern[::-1]
        if step:
            pattern = tuple(
                new for new, own in zip(value.pattern, step, strict=True) if own is False
            )
        if pattern.count(False) == value.operand.rank == 1:
            return table.insert_axes(value.operand, pattern)
    shape = value.shape and value.shape[::-1]
    if step and value.shape:
        shape = tuple(n for n, own in zip(value.shape, step, strict=True) if own is False)
    return table.make(Op.WIDENED, (value,), step, shape=shape, dtype=value.dtype)


def steps_into(value: Value) -> Iterator[tuple[Value, Axes]]:
    """What a reduction, a product of matrices or a transposition is made of, and its steps."""
    match value.op:
        case Op.REDUCE if (rank := value.operand.rank) is not None and value.shape:
            gone = [axis in value.reduction.axes for axis in range(rank)]
            kept = (tuple(gone),) if value.reduction.keep_dims else ()
            yield value.operand, (tuple(None if axis else False for axis in gone), *kept)
        case Op.RESHAPED if value.function == "dot" and value.rank == 2:
            yield value.operands[0], ((False, None), (False, True))
            yield value.operands[1], ((None, False), (True, False))
        case Op.RESHAPED if value.function in _TRANSPOSITIONS and value.rank == 2:
            yield value.operand, ((),)


class _Lane(Computation):
    """One lane with numbers put in; `load` is the one whose mask is off there, if any is."""

    def __init__(
        self,
        facts: KernelFacts,
        trial: int,
        known: Mapping[Atom, int],
        guards: Sequence[Guard],
        load: int | None = None,
        masked: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__(facts, trial, lanes=1)
        self._masked = masked
        self._given = known
        self._holding = {guard.condition: guard.holds for guard in guards}
        self._load = load
        other = None if load is None else facts.interpretation.loads[load].other
        self._is_filled = other is not None and not other.is_none

    def of(self, value: Value, axes: Axes = ()) -> float:
        """The number that a value is in this lane. Raises Unclear."""
        return self.row(value, axes)[0]

    def _compute(self, value: Value, axes: Axes) -> Row:
        match value.op:
            case Op.LOAD:
                return self._all(self._loaded(value, axes))
            case Op.WHERE:
                decided = decided_by(self._facts, value.condition, axes, self._given)
                holds = self.of(value.condition, axes) if decided is None else decided
                return self.row(value.then if holds else value.other, axes)
            case Op.PHI if value.operands[0] in self._holding:
                side = value.then if self._holding[value.operands[0]] else value.other
                return self.row(side, axes)
            case Op.PHI:
                return self.row(random.Random(self._trial).choice((value.then, value.other)), axes)
            case Op.REDUCE | Op.RESHAPED if value.shape is not None:
                parts = list(steps_into(value))
                if parts and self._has_masked_lanes(value, axes):
                    # As if each of the axes that go had one element.
                    return self._all(math.prod(self.of(v, (*own, *axes)) for v, own in parts))
                if parts or value.op is Op.REDUCE:
                    return self._all(self._anything(value))
            case op if op in _CONNECTIVES:
                decided = decided_by(self._facts, value, axes, self._given)
                if decided is not None:
                    return self._all(float(decided))
                if any(part.op in _INDICES for part in value.walk(Op.LOAD)):
                    raise Unclear  # where the lane is decides it, not what is loaded there
        return super()._compute(value, axes)

    def _has_masked_lanes(self, value: Value, axes: Axes) -> bool:
        """Whether a value has lanes along an axis where the mask is off."""
        shape = widened(self._facts, value, axes).shape
        extents = {} if shape is None else dict(enumerate(reversed(shape)))
        long = [a for a, n in extents.items() if self._facts.forms.of(n).constant_value != 1]
        return not self._masked.isdisjoint(long)

    def _loaded(self, value: Value, axes: Axes) -> float:
        load = self._facts.interpretation.loads[value.number]
        given = load.other is not None and not load.other.is_none
        if value.number == self._load:
            return self.of(load.other) if given and load.other is not None else 0.0
        masked = load.mask is not None and not load.mask.is_none
        decided: bool | None = True
        if masked and load.mask is not None:
            decided = decided_by(self._facts, load.mask, axes, self._given)
        own = self._has_masked_lanes(value, axes)
        if decided is None and self._load is not None and own:
            raise Unclear
        if decided is not False:
            if self._is_filled and own:
                raise Unclear  # these lanes have numbers of their own
            return self._anything(value)
        return self.of(load.other) if given and load.other is not None else 0.0

    def _other(self, value: Value) -> Row:
        if any(part.op is Op.LOAD for part in value.walk()):
            raise Unclear
        return self._all(self._anything(value))

    def _anything(self, value: Value) -> float:
        """Some number, the same for both kinds of lanes."""
        numbers = self._draws(value)
        if value.op is Op.CONSTEXPR:
            return numbers.choice((0.0, 1.7))  # a flag, or a number
        if value.op in _INDICES or value.name in self._facts.integers.parameters:
            return float(numbers.randint(1, 9))
        if value.op is not Op.LOAD or value.shape == ():
            return numbers.uniform(0.1, 4)  # a scale, a temperature
        return numbers.uniform(-4, 4)
