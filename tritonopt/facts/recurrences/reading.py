"""What the iterations of a loop bring to the names that it carries.

    acc += x                             a sum of x
    acc = tl.where(mask, acc + x, acc)   the same, where the mask holds
    for ...: acc += x                    the same, through an inner loop
    top = tl.max(tl.maximum(x, top))     a maximum of x
    best = tl.where(new > top, i, best)  the index that goes with the maximum `top`

What is brought rests on nothing that the loop carries, so it does not matter in which order the
iterations bring it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tritonopt.checks.condition import Declined, Unmet, refuted, unknown
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.effects import Loop
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import BY_OPERATION, BY_REDUCTION, NUMERIC, Kind
from tritonopt.facts.values import Value

_SUMS, _COMBINED = "accumulators-are-sums", "accumulators-can-be-combined"


@dataclass(frozen=True)
class Recurrence:
    """A name to which every iteration brings something, in whatever order."""

    loop: Loop
    name: str
    kind: Kind
    operands: tuple[Value, ...] = ()
    """What is brought, on whichever way through an iteration; none of one that is coupled."""
    extreme: Coupled | None = None
    """The extreme that the name is the index of, or a sum of exponentials below."""
    chosen: bool = False
    """Whether it is an extreme by comparison, `tl.where(x > top, x, top)`: of equal ones the first
    stays, which tells two zeros apart."""

    def __str__(self) -> str:
        if self.extreme is not None:
            function = self.extreme.exponential
            what = f"sum of {function} below" if function else "index of"
            guard = ", or below 0 where that is -inf" if self.extreme.guarded else ""
            return f"{what} the {self.extreme.kind.noun} {self.extreme.name}{guard}"
        return f"{self.kind.noun}{' by comparison' if self.chosen else ''}"


def recurrences(facts: KernelFacts, loop: Loop) -> Mapping[str, Recurrence | Unmet]:
    """Every name that the loop changes: its recurrence, or why it has none.

    Operands may rest on names that each iteration moves by the same step.
    """
    reader = RecurrenceReader(facts, loop, [n for n in loop.carried if _advances(facts, loop, n)])
    found: dict[str, Recurrence | Unmet] = {}
    for name, carried in loop.carried.items():
        if loop.following[name] is not carried:
            try:
                found[name] = reader.recurrence(name)
            except Unmet as why:
                found[name] = why
    return found


def _advances(facts: KernelFacts, loop: Loop, name: str) -> bool:
    """Whether each iteration adds the same to it."""
    match plain_update(loop, name):
        case (Kind.ADD, step):
            return loop.identity not in facts.interpretation.variant_loops(step)
    return False


def plain_update(loop: Loop, name: str) -> tuple[Kind, Value] | None:
    """The kind and the operand of an update in one step, `x + acc` or `tl.maximum(acc, x)`.

    None of anything else, an extreme that keeps NaN included. The operand may be of any value.
    """
    following, own = loop.following.get(name), loop.carried.get(name)
    if following is None or own is None or following.attribute is not None:
        return None
    kind = BY_OPERATION.get(following.op)
    others = [side for side in following.operands if side is not own]
    return (kind, others[0]) if kind is not None and len(others) == 1 else None


def reduced_update(loop: Loop, name: str) -> tuple[Kind, Value] | None:
    """The kind and the tile of an update in one step by a tile, of a number by what the tile is
    reduced to: `acc += tl.sum(x)`. None of anything else."""
    update = plain_update(loop, name)
    if update is None or update[0] not in NUMERIC or loop.carried[name].rank != 0:
        return update if update is not None and update[0] in NUMERIC else None
    kind, whole = update[0], update[1].operand if update[1].op is Op.CAST else update[1]
    if whole.op is not Op.REDUCE or whole.rank != 0 or whole.reduction.name != kind.reduction:
        return None
    return kind, whole.operand


@dataclass(frozen=True)
class RecurrenceReader:
    """Reads the recurrences of a loop.

    An operand may rest on the names that the caller takes along as the loop goes on, `advancing`.
    Of what is combined in another way than `kinds`, it is said that it is no recurrence.
    """

    facts: KernelFacts
    loop: Loop
    advancing: Collection[str] = ()
    kinds: Collection[Kind] = tuple(Kind)
    scalars: bool = False
    """Whether an index may be that of an iteration, and not only of a tile."""
    _operands: list[Value] = field(default_factory=list)

    def recurrence(self, name: str) -> Recurrence:
        """Raises Declined where the name has none."""
        extreme = self.extreme_of(name)
        chosen = extreme_chosen(self.loop, name, self._is_free)
        if extreme is not None:
            chooses = chosen is not None
            return Recurrence(self.loop, name, Kind.ADD, extreme=extreme, chosen=chooses)
        if chosen is not None:
            operands = (self.loop.following[name].then,)
            return Recurrence(self.loop, name, chosen, operands, chosen=True)
        self._operands.clear()
        kinds = self._kinds(self.loop.following[name], self.loop.carried[name], name)
        if len(kinds) != 1:
            text = f"the loop in line {self.loop.line} uses {name} in several ways"
            raise refuted(_SUMS, "not-a-recurrence", text)
        return Recurrence(self.loop, name, kinds.pop(), tuple(self._operands))

    def extreme_of(self, name: str) -> Coupled | None:
        """The extreme that a name is the index of, or a sum of exponentials below."""
        reader = _Reader(self.facts, self.loop, self._is_free, self.scalars)
        return reader.index(name) or reader.scaled(name)

    def _kinds(self, value: Value, own: Value, name: str) -> set[Kind]:
        """The operations that combine what a name was with what an iteration brings.

        Raises Declined where an iteration makes anything else of it.
        """
        if value is own:
            return set()
        if value.op in (Op.WHERE, Op.PHI):
            self._check_free(value.condition, name)
            ways = [self._kinds(side, own, name) for side in (value.then, value.other)]
            return ways[0] | ways[1]
        if value.op is Op.RESULT:
            inner = self.facts.loops[value.carrier.loop]
            if self.loop in inner.nest and value.carrier.name in inner.following:
                for bound in bounds_of(inner):
                    self._check_free(bound, name)
                part = value.carrier.name
                before = self._kinds(inner.initial[part], own, name)
                return before | self._kinds(inner.following[part], inner.carried[part], name)
        if value.op is Op.REDUCE and not own.shape:
            # `m = tl.max(tl.maximum(x, m))`
            reduced = BY_REDUCTION.get(value.reduction.name)
            repeats = reduced is not None and reduced.repeats
            inside = self._kinds(value.operand, own, name) if repeats else set()
            if inside == {reduced}:
                return inside
        kind = Kind.ADD if value.op is Op.SUB else BY_OPERATION.get(value.op)
        if kind is not None and kind in self.kinds:
            self._check_mode(value, name)
            mine = [side for side in value.operands if self._holds(side, own)]
            if len(mine) == 1 and not (value.op is Op.SUB and mine[0] is value.right):
                other = value.right if mine[0] is value.left else value.left
                self._check_free(other, name)
                self._operands.append(other)
                return {kind} | self._kinds(mine[0], own, name)
        raise self._no_recurrence(value, own, name)

    def _check_mode(self, value: Value, name: str) -> None:
        extreme = value.op in (Op.MAXIMUM, Op.MINIMUM)
        if extreme and value.attribute is not None:
            text = f"the loop in line {self.loop.line} propagates NaN in {name}"
            raise refuted(_COMBINED, "nan-is-propagated", text)

    def _no_recurrence(self, value: Value, own: Value, name: str) -> Declined:
        """Why an iteration does not combine a name with what it brings."""
        where = f"the loop in line {self.loop.line}"
        if not self._holds(value, own):
            text = f"{where} gives {name} another value in each iteration, and the last one is read"
            return refuted(_SUMS, "last-value-is-used", text)
        if value.op is Op.MUL and own in value.operands:
            text = f"{where} multiplies {name}, which is not a sum, maximum or minimum"
            return refuted(_SUMS, "no-such-reduction", text)
        text = f"{where} does not carry {name} as a sum, maximum or minimum"
        return unknown(_SUMS, "not-a-recurrence", text)

    def _holds(self, value: Value, own: Value) -> bool:
        return any(part is own for part in all_parts(self.facts, value))

    def _is_free(self, value: Value) -> bool:
        """Whether a value depends on nothing that the loop carries."""
        try:
            self._check_free(value, "")
        except Declined:
            return False
        return True

    def _check_free(self, value: Value, name: str) -> None:
        """What an iteration brings must not depend on what the one before left."""
        where = f"in the loop in line {self.loop.line}"
        for part in all_parts(self.facts, value):
            carried = part.op is Op.CARRIED and part.carrier.loop == self.loop.identity
            if carried and part.carrier.name not in self.advancing:
                text = f"{where} the addend of {name} depends on {part.carrier.name}, which it"
                text += " carries from iteration to iteration"
                raise refuted(_SUMS, "not-a-recurrence", text)
            if part.op is Op.OPAQUE and is_computed_in(self.loop, part):
                text = f"{where} the addend of {name} is not understood: {part.reason}"
                raise unknown(_SUMS, "opaque-value", text)


EXPONENTIALS = frozenset({"exp", "exp2"})
_ABOVE = {Op.GT: Kind.MAX, Op.LT: Kind.MIN}
_INDICES = frozenset({"max", "min", "argmax", "argmin"})


@dataclass(frozen=True)
class Coupled:
    """The extreme that an accumulator is the index of, or a sum of exponentials below."""

    name: str
    kind: Kind
    """Of the extreme."""
    exponential: str = ""
    """For a sum of exponentials below it, their function; "" for its index."""
    guarded: bool = False
    """Whether 0 is subtracted, and not the extreme, where that is -inf."""


def extreme_chosen(loop: Loop, name: str, is_free: Callable[[Value], bool]) -> Kind | None:
    """What `top = tl.where(x > top, x, top)` keeps; None where it is anything else."""
    end, own = loop.following[name], loop.carried[name]
    if end.op not in (Op.WHERE, Op.PHI) or end.other is not own or not is_free(end.then):
        return None
    return _compared(end.condition, end.then, own)


def _compared(condition: Value, new: Value, own: Value) -> Kind | None:
    """The extreme of which `new > own` says that it is a new one."""
    if condition.op not in _ABOVE:
        return None
    if condition.left is new and condition.right is own:
        return _ABOVE[condition.op]
    if condition.left is own and condition.right is new:
        return Kind.MIN if condition.op is Op.GT else Kind.MAX
    return None


@dataclass(frozen=True)
class _Reader:
    facts: KernelFacts
    loop: Loop
    is_free: Callable[[Value], bool]
    scalars: bool

    def index(self, name: str) -> Coupled | None:
        """Where the name is the index of the first of the largest elements, or of the least."""
        end, own = self.loop.following[name], self.loop.carried[name]
        if end.op not in (Op.WHERE, Op.PHI) or end.other is not own:
            return None
        if not self.is_free(end.then) or not self._rises(end.then):
            return None
        for partner, carried in self.loop.carried.items():
            sides = end.condition.operands
            if carried not in sides or end.condition.op not in _ABOVE:
                continue
            new = sides[0] if sides[1] is carried else sides[1]
            found = _compared(end.condition, new, carried)
            if found is not None and self._keeps(partner, new, end.condition, found):
                return Coupled(partner, found)
        return None

    def _keeps(self, name: str, new: Value, condition: Value, kind: Kind) -> bool:
        """Whether the partner becomes `new` just where the condition holds."""
        end, own = self.loop.following[name], self.loop.carried[name]
        if not self.is_free(new):
            return False
        if end.op in (Op.WHERE, Op.PHI):
            return end.condition is condition and end.then is new and end.other is own
        return (
            end.op is kind.operation and end.attribute is None and set(end.operands) == {own, new}
        )

    def _rises(self, index: Value) -> bool:
        """Whether the index of a later iteration is larger: each has a tile of its own."""
        if self.scalars:
            parts = self.facts.forms.of(index).linear_in(Iteration(self.loop.identity))
            if parts is None or any(varies_with(a, self.loop) for p in parts for a in p.atoms):
                return False
            step = Bounds(self.facts).lower_bound(parts[0])
            return step is not None and step.number >= 1
        if index.op is not Op.ADD:
            return False
        for place, first in ((index.left, index.right), (index.right, index.left)):
            extent = _extent_of_place(place)
            if extent is None:
                continue
            forms = self.facts.forms
            tile = Polynomial.of(Iteration(self.loop.identity)) * forms.of(extent)
            rest = forms.of(first) - tile
            if not any(varies_with(atom, self.loop) for atom in rest.atoms):
                return True
        return False

    def scaled(self, name: str) -> Coupled | None:
        """Where the name is a sum of exponentials of what is less than a running maximum."""
        end, own = self.loop.following[name], self.loop.carried[name]
        if end.op is not Op.ADD:
            return None
        for kept, added in ((end.left, end.right), (end.right, end.left)):
            if kept.op is not Op.MUL or own not in kept.operands:
                continue
            factor = kept.right if kept.left is own else kept.left
            for partner, carried in self.loop.carried.items():
                new, least = self.loop.following[partner], self._subtracted(factor, carried)
                if least is None or not self._is_maximum(new, carried):
                    continue
                guarded = _is_guarded(least, new)
                if (guarded or least is new) and self._is_below(added, least, factor.function):
                    return Coupled(partner, Kind.MAX, factor.function, guarded)
        return None

    def _is_maximum(self, new: Value, carried: Value) -> bool:
        if new.op is not Op.MAXIMUM or new.attribute is not None or carried not in new.operands:
            return False
        return self.is_free(new.right if new.left is carried else new.left)

    def _subtracted(self, factor: Value, carried: Value) -> Value | None:
        """`new` of `tl.exp(m - new)`; None where it is something else."""
        if factor.op is not Op.ELEMENTWISE or factor.function not in EXPONENTIALS:
            return None
        (below,) = factor.operands
        return below.right if below.op is Op.SUB and below.left is carried else None

    def _is_below(self, added: Value, new: Value, base: str) -> bool:
        """Whether an iteration adds exponentials below the new maximum, linearly."""
        if added.op is Op.ELEMENTWISE and added.function == base:
            (below,) = added.operands
            if below.op is not Op.SUB or not self.is_free(below.left):
                return False
            least = below.right
            while least.op is Op.INSERT_AXES:
                least = least.operand
            return least is new
        if added.op is Op.REDUCE and added.reduction.name == "sum":
            return self._is_below(added.operand, new, base)
        if added.op is Op.WHERE and self.is_free(added.condition) and added.other.constant == 0:
            return self._is_below(added.then, new, base)
        return False


def _is_guarded(value: Value, extreme: Value) -> bool:
    """Whether it is `tl.where(extreme == -float("inf"), 0.0, extreme)`."""
    if value.op is not Op.WHERE or value.other is not extreme or value.then.constant != 0:
        return False
    condition = value.condition
    return condition.op is Op.EQ and {extreme} == {
        side for side in condition.operands if side.constant != -math.inf
    }


def _extent_of_place(place: Value) -> Value | None:
    """Of an index in a tile of one axis, the extent of the tile; None of anything else."""
    if place.op is Op.PART and place.attribute == 1 and place.operand.op is Op.RESHAPED:
        function, tile = place.operand.function, place.operand.operand
    elif place.op is Op.REDUCE:
        function, tile = place.reduction.name, place.operand
    else:
        return None
    known = function in _INDICES and (place.op is Op.PART or function.startswith("arg"))
    return tile.shape[0] if known and tile.shape is not None and len(tile.shape) == 1 else None


def all_parts(facts: KernelFacts, value: Value) -> Iterator[Value]:
    """All that a value is made of, by way of the loops inside as well."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        for part in todo.pop().walk():
            if part in seen:
                continue
            seen.add(part)
            yield part
            if part.op in (Op.CARRIED, Op.RESULT):
                inner, name = facts.loops[part.carrier.loop], part.carrier.name
                todo += [ends[name] for ends in (inner.initial, inner.following) if name in ends]
                todo += bounds_of(inner)
            elif part.op is Op.ITERATION:
                todo += bounds_of(facts.loops[part.number])


def bounds_of(loop: Loop) -> list[Value]:
    """What decides the trip count of a loop."""
    return [*loop.bounds, *([] if loop.condition is None else [loop.condition])]


def is_computed_in(loop: Loop, opaque: Value) -> bool:
    """Whether what is not understood is computed in the loop, and not before it."""
    assert isinstance(opaque.attribute, tuple)
    return loop.identity in opaque.attribute[2]
