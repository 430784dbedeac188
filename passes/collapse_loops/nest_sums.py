"""What a nest carries from turn to turn: sums, maxima and minima that any tiles add up to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.accumulators import is_as_wide
from tritonopt.emit.writing import block_of, names_bound, reads_of
from tritonopt.facts import Polynomial, Value
from tritonopt.facts.language import function
from tritonopt.facts.memory.masked_off_value import number_outside
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.recurrences.kinds import BY_REDUCTION
from tritonopt.facts.recurrences.reading import reduced_update
from tritonopt.facts.values import FLOAT_BITS, is_integer, reachable
from tritonopt.passes.collapse_loops.index_nests import Nest

SUMS = "accumulators-are-sums"


@dataclass(frozen=True)
class Accumulator:
    """What the nest carries: a number, or a tile that is reduced behind it."""

    name: str
    reduction: str
    tile: ast.expr | None
    """The call that makes the tile; None of a number."""
    rounds: bool


def accumulators(nest: Nest, attempt: Attempt) -> tuple[Accumulator, ...]:
    """All that the nest carries. Raises Declined where that is anything else."""
    names = sorted(set(nest.loops[0].carried) - nest.counters)
    found = tuple(_Carried(nest).accumulator(name) for name in names)
    kinds = ", ".join(f"{a.name} ({a.reduction})" for a in found)
    said = f"carried are {kinds}" if kinds else "nothing is carried from iteration to iteration"
    attempt.prove(SUMS, said)
    return found


def sees_carried(nest: Nest, value: Value) -> bool:
    """Whether a value is made of what the turns before have left."""
    return any(p.op is Op.CARRIED and p.carrier.loop in nest.identities for p in value.walk())


@dataclass(frozen=True)
class _Carried:
    nest: Nest

    def accumulator(self, name: str) -> Accumulator:
        sweep = self.nest.sweep
        following, carried = sweep.following.get(name), sweep.carried.get(name)
        if following is None or carried is None:
            raise self._is_more(name, "is carried by an outer loop alone")
        if carried not in set(following.walk()):
            text = f"{name} has a value before the nest, of another shape"
            raise refuted("type-stays", "rows-differ", text)
        update = reduced_update(sweep, name)
        if update is None:
            raise self._is_more(name, "is no sum, maximum or minimum of tiles")
        reduction, inner = update[0].reduction, update[1]
        if sees_carried(self.nest, inner):
            raise self._is_more(name, "is combined with what the iterations before have left")
        number = carried.rank == 0
        if inner.rank != 1 or not self._adds_nothing(inner, reduction):
            text = f"{name} may take in lanes past the end of the row"
            raise unknown("masked-off-lanes-add-nothing", "masked-off-lanes-count", text)
        if reduction == "sum" and not self._is_wide(inner if number else carried):
            text = f"{name} is added up in a type that is narrow, or not known"
            raise unknown("accumulators-are-wide", "accumulator-is-narrow", text)
        tile = None if number else self._tile(name, reduction)
        rounds = reduction == "sum" and not is_integer(inner.dtype)
        return Accumulator(name, reduction, tile, rounds)

    def _is_more(self, name: str, what: str) -> Declined:
        return refuted(SUMS, "not-a-recurrence", f"{name} {what}")

    def _is_wide(self, value: Value) -> bool:
        """Whether more can be added up in its type, in whatever order: no fp16, which ends soon."""
        if value.op is Op.PHI:
            return self._is_wide(value.then) and self._is_wide(value.other)
        if value.dtype in FLOAT_BITS:
            return FLOAT_BITS[value.dtype] >= 32
        if value.dtype is not None and is_integer(value.dtype):
            return value.dtype.endswith(("int32", "int64"))
        wide = frozenset({"fp32", "fp64", "int32", "int64"})
        return is_as_wide(value, "fp32") or self.nest.facts.types.of(value).all_in(wide)

    def _tile(self, name: str, reduction: str) -> ast.expr:
        """The call that makes the tile of an accumulator, for it gets another length."""
        nest, facts = self.nest, self.nest.facts
        claim = "nothing-else-is-lost"
        initial, result = nest.loops[0].initial[name], nest.loops[0].result[name]
        if initial.op is not Op.FULL or initial.operand.constant is None:
            raise unknown(claim, "accumulator-starts-elsewhere", f"{name} begins with a tile")
        if float(str(initial.operand.constant)) != BY_REDUCTION[reduction].identity:
            text = f"each lane of {name} begins with something else than nothing"
            raise refuted(claim, "accumulator-starts-elsewhere", text)
        for value in reachable(self._all_values()):
            whole = value.op is Op.REDUCE and value.rank == 0
            if result in value.operands and not (whole and value.reduction.name == reduction):
                text = f"{name} is used for more than its {reduction} after the nest"
                raise refuted(claim, "not-lane-by-lane", text)
        used = {part for e in facts.effects for part in (e.stored, e.pointer, e.mask) if part}
        if result in used or any(result in loop.initial.values() for loop in facts.loops):
            raise refuted(
                claim, "not-lane-by-lane", f"the tile {name} itself is used after the nest"
            )
        return self._making(name, initial)

    def _all_values(self) -> Iterator[Value]:
        facts = self.nest.facts
        yield from facts.values.values()
        for effect in facts.effects:
            yield from (p for p in (effect.pointer, effect.mask, effect.stored, effect.other) if p)
        for loop in facts.loops:
            yield from loop.following.values()

    def _making(self, name: str, initial: Value) -> ast.expr:
        nest, facts = self.nest, self.nest.facts
        block = block_of(facts.kernel.node, nest.first)
        before = block[: block.index(nest.first)]
        for place in range(len(before) - 1, -1, -1):
            statement = before[place]
            if name not in names_bound(statement):
                continue
            match statement:
                case ast.Assign(targets=[ast.Name()], value=ast.Call() as call) if facts.values.get(
                    call
                ) is initial and function(facts.kernel.module.resolve(call.func)) in (
                    "zeros",
                    "full",
                ):
                    reads = [r for s in before[place + 1 :] for r in reads_of(s, name)]
                    if not reads:
                        return call
            break
        text = f"the tile of {name} is not made by one call right above the nest"
        raise unknown("is-expressible", "not-expressible", text)

    @cached_property
    def _condition(self) -> Value | None:
        """A comparison that holds in the lanes of the row."""
        facts, wanted = self.nest.facts, Polynomial.of(self.nest.indicator)
        own = (v for n, v in facts.values.items() if n in self.nest.nodes and v.op in COMPARISONS)
        return next((v for v in own if facts.forms.condition(v) == wanted), None)

    def _adds_nothing(self, term: Value, reduction: str) -> bool:
        """Whether the lanes behind the end of the row change nothing."""
        nest = self.nest
        number = number_outside(nest.facts, term, nest.indicator, self._condition, nest.varies)
        return number == BY_REDUCTION[reduction].identity
