"""Which accesses touch an element in common, in which iterations or lanes, and what shows it.

What is loaded or stored at another time, in another order or by another thread rests on it. The
programs of a launch have no order: what they may do to each other is in `races`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts.algebra.atoms import Iteration, Lane
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.algebra.variation import has_unknown_axes, varies_along, varies_with
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.effects import Effect, EffectKind, Loop
from tritonopt.facts.memory.masked_off_value import conjuncts
from tritonopt.facts.operations import Op

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

INDEPENDENT = "iterations-are-independent"
UNCHANGED = "data-is-unchanged"
LANES: Literal["lanes"] = "lanes"
_MOST_AXES = 5
"""That a tile has at most, as far as anybody has seen."""
_ORDERING_CALLS = ("gdc", "asm", "barrier", "fence")
"""Parts of the names of calls that order memory, though nothing else is known of them."""


class Kind(Enum):
    """What two accesses have in common."""

    NONE = "no element"
    OWN = "an element in one iteration, or lane, alone"
    OPEN = "an element in any two iterations, or lanes, as far as is shown"


@dataclass(frozen=True)
class Dependence:
    """What two accesses have in common, and why."""

    kind: Kind
    why: tuple[str, ...] = ()
    given: tuple[Assumption, ...] = ()
    assumed: tuple[tuple[str, str], ...] = ()
    """Claims that hold by a written default, and what is taken to be so."""
    by_launch: bool = False
    """Whether it holds only of the launches that are seen."""

    def __and__(self, other: Dependence) -> Dependence:
        """The kind of the other one, and what both rest on."""
        return Dependence(
            other.kind,
            tuple(dict.fromkeys((*self.why, *other.why))),
            tuple(dict.fromkeys((*self.given, *other.given))),
            tuple(dict.fromkeys((*self.assumed, *other.assumed))),
            self.by_launch or other.by_launch,
        )


def dependence(
    facts: KernelFacts,
    one: Effect,
    other: Effect,
    across: Loop | Literal["lanes"] | None = None,
) -> Dependence:
    """What a write has in common with another access, or with itself, across iterations or lanes.

    Without `across` any two moments count, and what is not disjoint is open.
    """
    if one is not other and not facts.may_alias(one, other):
        found = [
            facts.why_disjoint(*pair) for pair in product(_bases(facts, one), _bases(facts, other))
        ]
        given = tuple(dict.fromkeys(fact for _, _, fact in found if fact is not None))
        launches = any(fact is None for _, _, fact in found)
        why = tuple(dict.fromkeys(why for _, why, _ in found))
        return Dependence(Kind.NONE, why, given, by_launch=launches)
    if across is None or one.pointer is None or other.pointer is None:
        return Dependence(Kind.OPEN)
    own = _Places(facts, one, across).own()
    return (
        own
        if one is other or own.kind is Kind.OPEN
        else own & _Places(facts, one, across).with_(other)
    )


def _bases(facts: KernelFacts, effect: Effect) -> list[str]:
    return sorted(facts.bases(effect) or ())


def same_place(facts: KernelFacts, one: Effect, other: Effect) -> Dependence:
    """Whether two accesses go to the same element in each iteration and lane, if to one buffer.

    Two parameters are one buffer or do not overlap, unless a launch passes parts of a tensor.
    """
    if one.pointer is not None and other.pointer is not None:
        (mine, offset), (theirs, shifted) = map(facts.forms.address, (one.pointer, other.pointer))
        if mine is not None and theirs is not None and (offset - shifted).is_zero:
            if mine == theirs:
                return Dependence(Kind.OWN)
            if not facts.launches.overlap(mine, theirs):
                text = f"{theirs} and {mine} are the same buffer or disjoint"
                return Dependence(Kind.OWN, assumed=((INDEPENDENT, text),))
    return Dependence(Kind.OPEN)


@dataclass(frozen=True)
class Index:
    """An index that goes from 0 to its count."""

    atom: Atom
    count: Polynomial | None
    varies: Callable[[Atom], bool]
    """Whether an atom may differ from one value of the index to the next."""

    @classmethod
    def of(cls, facts: KernelFacts, loop: Loop) -> Index:
        """The number of the iteration of a loop."""
        count = facts.forms.trip_count(loop)
        return cls(Iteration(loop.identity), count, lambda atom: varies_with(atom, loop))


def are_apart(facts: KernelFacts, offset: Polynomial, indices: Sequence[Index]) -> bool:
    """Whether each choice of indices, innermost first, has an offset of its own: each index steps
    past all that those before it reach. The step of the first one is taken not to be 0.
    """

    def varies(form: Polynomial) -> bool:
        return any(index.varies(atom) for atom in form.atoms for index in indices)

    forms = facts.forms
    last: tuple[Polynomial, Polynomial | None] | None = None
    for index in indices:
        parts = offset.linear_in(index.atom)
        if parts is None or parts[0].is_zero or varies(parts[0]):
            return False
        step, offset = parts
        if last is not None:
            before, count = last
            if count is None or varies(count):
                return False
            reach = before * count
            room, times = step - reach, step.divided_by(reach)
            above = forms.is_nonnegative(room) and forms.is_nonnegative(before)
            whole = times is not None and forms.is_integer(times) and forms.is_positive(times)
            if not (room.is_zero or above or whole):
                return False
        last = step, index.count
    return not varies(offset)


@dataclass(frozen=True)
class _Places:
    """Where a write goes in the iterations of a loop, or the lanes of a tile."""

    facts: KernelFacts
    effect: Effect
    across: Loop | Literal["lanes"]

    def own(self) -> Dependence:
        """Whether each iteration, or lane, goes to elements of its own."""
        assert self.effect.pointer is not None
        base, offset = self.facts.forms.address(self.effect.pointer)
        unshown = (
            f"it is not proved that line {self.effect.line} stores to another element each time"
        )
        found: Dependence | None = None
        if base is not None and not isinstance(self.across, Loop):
            found = self._own_lanes(offset)
        elif base is not None and isinstance(self.across, Loop):
            found = self._own_iterations(offset, self.across)
        return found or Dependence(Kind.OPEN, (unshown,))

    def with_(self, other: Effect) -> Dependence:
        """The same of another access, which may go to the same buffer."""
        write, facts = self.effect, self.facts
        assert write.pointer is not None and other.pointer is not None
        (mine, offset), (theirs, shifted) = map(facts.forms.address, (write.pointer, other.pointer))
        same = same_place(facts, write, other)
        if same.kind is Kind.OWN:
            return same
        stride, gap = self._stride(offset), (shifted - offset).constant_value
        if mine == theirs and stride and gap is not None and gap % stride != 0:
            return Dependence(Kind.NONE)
        return Dependence(Kind.OPEN)

    def _stride(self, offset: Polynomial) -> Fraction | None:
        """What an iteration adds to an offset that no loop around moves."""
        if not isinstance(self.across, Loop):
            return None
        stride, around = offset.coefficient(Iteration(self.across.identity)), self.across.nest[:-1]
        if stride is None or any(varies_with(a, loop) for a in offset.atoms for loop in around):
            return None
        return stride.constant_value

    def _own_lanes(self, offset: Polynomial) -> Dependence | None:
        lanes = {leaf for leaf in offset.leaves() if isinstance(leaf, Lane)}
        parts = offset.linear_in(lanes.pop()) if len(lanes) == 1 else None
        if parts is None or not parts[0].constant_value or not self._is_uniform(parts[1]):
            return None
        return Dependence(Kind.OWN)

    def _own_iterations(self, offset: Polynomial, loop: Loop) -> Dependence | None:
        parts = offset.linear_in(Iteration(loop.identity))
        if parts is None or not self._is_uniform(parts[0]):
            return None
        stride, rest = parts
        if loop.parent is None and self._are_side_by_side(stride, rest):
            return Dependence(Kind.OWN)
        if self._has_lanes or not self._is_uniform(rest):
            return None
        around = [o for o in loop.nest[:-1] if any(varies_with(a, o) for a in offset.atoms)]
        inner, outer = Index.of(self.facts, loop), [Index.of(self.facts, o) for o in around[::-1]]
        orders = ([inner, *outer], [*outer, inner])
        moves = self._moves(stride, loop)
        if moves.kind is Kind.OPEN or not around:
            return moves
        if any(are_apart(self.facts, offset, order) for order in orders):
            return moves
        where = f"the loop in line {around[0].line}"
        text = f"{where} may access what line {self.effect.line} stored in another lane"
        return Dependence(Kind.OPEN, (text,))

    def _moves(self, stride: Polynomial, loop: Loop) -> Dependence:
        """Whether a stride is never 0."""
        own = Dependence(Kind.OWN)
        if stride.constant_value:
            return own
        bounds, launches = Bounds(self.facts), self.facts.launches
        for bound in map(bounds.lower_bound, (stride, -stride)):
            if bound is not None and bound.number >= 1:
                text = f"{', '.join(sorted(bound.sizes))} is at least 1"
                assumed = (("sizes-are-positive", text),) if bound.sizes else ()
                return Dependence(Kind.OWN, given=bound.given, assumed=assumed)
        for count in map(self.facts.forms.trip_count, loop.nest):
            # As large as the number of iterations, which is at least 1 where anything is stored.
            room = None if count is None else (stride - count).constant_value
            if room is not None and room >= 0:
                return own
        numbers = [substitute(stride, world).constant_value for world in launches.bindings]
        if numbers and all(numbers) and not launches.unknown:
            return Dependence(Kind.OWN, by_launch=True)
        line = f"line {self.effect.line} stores to the same element every time"
        return Dependence(Kind.OPEN, (f"{line} if {stride.readable} is 0",))

    def _are_side_by_side(self, step: Polynomial, rest: Polynomial) -> bool:
        """Whether an iteration begins where the tile of the one before has ended, or what moves
        within it is masked to be from 0 to less than its step."""
        lanes = [a for a in rest.atoms if isinstance(a, Lane)]
        inner = rest.linear_in(lanes[0]) if len(lanes) == 1 else None
        if inner is not None and all(map(self._is_uniform, inner)):
            lane = inner[0].constant_value
            if lane and (step - inner[0] * lanes[0].extent).is_zero:
                return True
        forms = self.facts.forms
        for part in conjuncts(self.effect.mask) if self.effect.mask is not None else ():
            if part.op is Op.LT and (forms.of(part.right) - step).is_zero:
                moving = forms.of(part.left)
                if forms.is_nonnegative(moving) and self._is_uniform(rest - moving):
                    return True
        return False

    @property
    def _has_lanes(self) -> bool:
        assert self.effect.pointer is not None
        return self.effect.pointer.shape != ()

    def _is_uniform(self, form: Polynomial) -> bool:
        """Whether it is one number for all lanes, and in all iterations."""
        across = self.across
        if isinstance(across, Loop):
            inside = [loop for loop in self.facts.loops if across in loop.nest]
            if any(varies_with(atom, loop) for atom in form.atoms for loop in inside):
                return False
        if not self._has_lanes:
            return True
        lanes = any(varies_along(atom, axis) for atom in form.atoms for axis in range(_MOST_AXES))
        return not lanes and not has_unknown_axes(form)


class Accesses:
    """Asks what accesses have in common, and remembers for a condition what the answers rest on."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self.used = Dependence(Kind.NONE)

    def of(
        self, one: Effect, other: Effect, across: Loop | Literal["lanes"] | None = None
    ) -> Dependence:
        """The dependence; what shows that it is not open counts as used from then on."""
        found = dependence(self._facts, one, other, across)
        if found.kind is not Kind.OPEN:
            self.used &= found
        return found

    def are_disjoint(self, one: Effect, other: Effect) -> bool:
        """Whether they touch no memory in common."""
        return self.of(one, other).kind is Kind.NONE

    def prove(self, attempt: Attempt, claim: str, otherwise: str) -> None:
        """The claim follows from what was shown; `otherwise` is said where nothing was needed."""
        attempt.prove(claim, "; ".join(self.used.why) or otherwise, self.used.given)
        for also, detail in self.used.assumed:
            attempt.assume(also, detail)
        if self.used.by_launch:
            attempt.assume_no_other_launches()


# Conditions on what stands in between; all raise Declined


def orders_memory(call: Effect) -> bool:
    """Whether a call of which nothing else is known says by its name that it orders memory."""
    return any(word in call.name for word in _ORDERING_CALLS)


def prove_unordered(attempt: Attempt, effects: Sequence[Effect], where: str) -> None:
    """A load may not move past what orders memory, or is there to be seen before it.

    The effects are those of `where`, as messages name it.
    """
    claim = UNCHANGED
    for effect in effects:
        what = f"the {effect.name} in line {effect.line}"
        match effect.kind:
            case EffectKind.LOAD if effect.volatile:
                raise refuted(claim, "volatile-load", f"{what} is volatile")
            case EffectKind.ATOMIC:
                raise refuted(claim, "memory-order", f"{what} orders memory")
            case EffectKind.BARRIER:
                raise refuted(claim, "memory-order", f"{what} orders memory")
            case EffectKind.CALL:
                reason = "memory-order" if orders_memory(effect) else "unknown-call"
                raise unknown(claim, reason, f"the effects of {what} are not known")
            case EffectKind.PRINT if "assert" in effect.name:
                detail = f"{what} must fail before data is loaded"
                raise refuted(claim, "assertion-in-the-loop", detail)
    attempt.prove(claim, f"no atomic, barrier, volatile load or unknown call in {where}")


def check_plain(effects: Sequence[Effect], kinds: Collection[EffectKind], what: str) -> None:
    """Nothing but these kinds of accesses is done, which order `what` in no other way."""
    for effect in effects:
        if effect.kind not in kinds or effect.volatile or effect.inlined:
            text = f"{effect.name} in line {effect.line} orders {what}"
            raise refuted(UNCHANGED, "order-is-seen", text)


def prove_unchanged(
    attempt: Attempt,
    facts: KernelFacts,
    loads: Sequence[Effect],
    effects: Sequence[Effect],
    otherwise: str,
) -> None:
    """None of the effects may write what one of the loads reads.

    `otherwise` is what is said where nothing is written at all.
    """
    accesses = Accesses(facts)
    for write in (effect for effect in effects if effect.writes):
        for load in loads:
            if not accesses.are_disjoint(write, load):
                raise change_of_data(facts, load, write)
    accesses.prove(attempt, UNCHANGED, otherwise)


def change_of_data(facts: KernelFacts, load: Effect, write: Effect) -> Declined:
    """A write that may change what a load reads, and why it may."""
    what = f"the {write.name} in line {write.line} may change the data"
    return refuted(UNCHANGED, "data-may-change", what + _why_alias(facts, load, write))


def _why_alias(facts: KernelFacts, load: Effect, write: Effect) -> str:
    written, read = facts.bases(write), facts.bases(load)
    if written is None or read is None:
        return ""
    pairs = [(one, other) for one in sorted(written) for other in sorted(read) if one != other]
    unshown = [pair for pair in pairs if not facts.why_disjoint(*pair)[0]]
    if not unshown:
        return ""
    (stored, other), why = unshown[0], facts.why_disjoint(*unshown[0])[1]
    text = f": {stored} may be the same buffer as {other} ({why})"
    # No fact helps where it is one buffer, here or at a launch that passes one tensor for both.
    launches = facts.launches
    if written & read or any(
        launches.passes_one_for_both(*pair) or launches.overlap(*pair) for pair in unshown
    ):
        return text
    facts_to_give = " ".join(f"--assume 'disjoint({one}, {another})'" for one, another in unshown)
    return f"{text}; if they are never the same, give {facts_to_give}"


def check_exchange(
    facts: KernelFacts, loop: Loop, inside: Sequence[Effect], accesses: Accesses, *, meets: bool
) -> None:
    """The threads of a program hand nothing over in memory when other threads hold the elements.

    What a loop stores must not be read or written elsewhere in the kernel, where another thread may
    do it, unless a barrier stands between; nor may another write what the loop loads. `inside` are
    the effects of the loop; `meets` says that all threads meet in it or after it, to reduce a tile.
    """
    own = [effect for effect in inside if effect.pointer is not None]
    for other in (effect for effect in facts.effects if effect not in set(inside)):
        if loop.parent is None and _is_parted(facts, loop, other):
            continue
        after = meets and loop.parent is None and other.order > loop.last
        for access in own:
            # What is reduced has been read by then, in all threads.
            is_over = after and access.kind is EffectKind.LOAD and other.pointer is not None
            if not is_over and _hands_over(access, other, accesses):
                text = (
                    f"what line {access.line} touches may be passed between threads by the "
                    f"{other.name} in line {other.line}"
                )
                raise unknown(INDEPENDENT, "threads-exchange-data", text)


def _hands_over(access: Effect, other: Effect, accesses: Accesses) -> bool:
    if other.kind is EffectKind.CALL:
        return True
    if other.kind is EffectKind.ATOMIC and access.writes:
        return True  # it may tell another program that the data is there
    if other.pointer is None or not (access.writes or other.writes):
        return False
    return not accesses.are_disjoint(access, other)


def _is_parted(facts: KernelFacts, loop: Loop, other: Effect) -> bool:
    """Whether all threads meet at a barrier between the loop and what comes before or after."""
    low, high = sorted((other.order, loop.first if other.order < loop.first else loop.last))
    return any(
        low < barrier.order < high and not barrier.loops and not barrier.guards
        for barrier in facts.effects
        if barrier.kind is EffectKind.BARRIER and barrier.name == "debug_barrier"
    )
