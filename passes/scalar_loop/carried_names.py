"""What an iteration takes over from the one before: a reduction, a prefix sum, a search, or worse.

Each lane goes through its own iterations in their order, with a copy of the name that is its own.
So it is asked whether what the lanes end with tells what the loop would have ended with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import Polynomial, Value
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reduction_calls import mentions
from tritonopt.passes.scalar_loop.loop_bodies import Body
from tritonopt.passes.scalar_loop.updates_of_lanes import (
    CLAIM,
    LaneUpdate,
    recurrence,
    updates_of_lanes,
)


class LaneMerge(str, Enum):
    """How the lanes are put together."""

    REDUCED = "reduced"
    """By the operation that the loop combines with."""
    PREFIX = "prefix"
    """Not at all: an iteration needs the sum up to it, and the last one's is the sum of all."""
    CHOSEN = "chosen"
    """The extreme of what they have chosen, which is on one side of what they began with."""
    CHOSEN_INNER = "chosen inner"
    """The extreme that is next to what they began with; a lane that chose nothing is left out."""
    INDEX = "index"
    """The index that goes with an extremum."""


@dataclass(frozen=True)
class Carried:
    """A name that an iteration hands on to the next, understood."""

    name: str
    kind: LaneMerge
    updates: tuple[LaneUpdate, ...]
    combining: Kind
    """Of what the lanes hold."""
    extremum: str = ""
    """Of an index, the name that it goes with."""


def carried_names(body: Body) -> tuple[Carried, ...]:
    """What the loop carries. Raises Declined at the first name that is not understood."""
    return tuple(_Reading(body).all())


class _Reading:
    def __init__(self, body: Body) -> None:
        self._body = body
        self._scalar = body.loop
        self._loop = body.loop.loop
        self._facts = body.loop.facts
        self._bounds = Bounds(body.loop.facts)

    def all(self) -> Iterator[Carried]:
        updates: dict[str, tuple[LaneUpdate, ...]] = {}
        for name, value in self._loop.carried.items():
            if self._loop.following[name] is not value or self._is_bound(name):
                updates[name] = updates_of_lanes(self._body, name)
                if not updates[name]:
                    raise recurrence(name, self._scalar.node)
        extrema = [n for n, found in updates.items() if self._is_extremum(n, found)]
        for name, found in updates.items():
            pair = next((e for e in extrema if self._goes_with(name, found, e, updates)), None)
            if name in extrema:
                readers = [n for n in updates if self._goes_with(n, updates[n], name, updates)]
                yield self._extremum(name, found, readers, updates)
            elif pair is not None:
                yield self._index(name, found, pair, updates)
            else:
                yield self._alone(name, found)

    def _is_bound(self, name: str) -> bool:
        places = mentions(self._scalar.node, name)
        return any(not isinstance(place.ctx, ast.Load) for place in places)

    def _elsewhere(self, name: str, updates: Sequence[LaneUpdate]) -> list[ast.Name]:
        """Where the loop mentions a name, but not to update it."""
        own = {place for update in updates for place in update.own}
        return [place for place in mentions(self._scalar.node, name) if place not in own]

    # Reductions and prefix sums

    def _alone(self, name: str, updates: tuple[LaneUpdate, ...]) -> Carried:
        elsewhere = self._elsewhere(name, updates)
        combinings = {update.combining for update in updates}
        first = updates[0]
        if None in combinings:
            if len(updates) > 1:
                raise recurrence(name, updates[1].step.node)
            return self._search(name, first, elsewhere)
        if len(combinings) > 1:
            nouns = " and ".join(sorted(c.noun for c in combinings if c is not None))
            text = f"the loop makes a {nouns} of {name}"
            raise refuted("accumulators-are-sums", "not-a-recurrence", text)
        assert first.combining is not None
        if not elsewhere:
            return Carried(name, LaneMerge.REDUCED, updates, first.combining)
        if not self._is_prefix(updates, elsewhere):
            raise recurrence(name, elsewhere[0])
        return Carried(name, LaneMerge.PREFIX, updates, Kind.ADD)

    def _is_prefix(self, updates: Sequence[LaneUpdate], elsewhere: Sequence[ast.Name]) -> bool:
        """Whether the one addition of an iteration is read behind it, and nowhere else."""
        update = updates[0]
        node = update.step.node
        always = not update.step.branches and not update.step.guarded
        if len(updates) > 1 or update.combining is not Kind.ADD or not update.plain or not always:
            return False
        match node:
            case ast.AugAssign(op=ast.Add()) | ast.Assign(value=ast.BinOp(op=ast.Add())):
                behind = node.end_lineno or node.lineno
                return all(place.lineno > behind for place in elsewhere)
        return False

    # Searches

    def _search(self, name: str, update: LaneUpdate, elsewhere: Sequence[ast.Name]) -> Carried:
        """`if c: found = i` is the last one; with `and found == -1` it is the first."""
        if not update.tests or update.step.guarded:
            text = f"line {update.step.node.lineno} leaves {name} to whatever comes after the loop"
            raise refuted(CLAIM, "last-value-is-used", text)
        asks = [value for value, holds in update.asked(self._facts) if holds]
        first = False
        if elsewhere:
            nodes = {place for test in update.tests for place in mentions(test, name)}
            mine = [value for value in asks if self._reads(value, name)]
            if set(elsewhere) - nodes or len(mine) != 1 or not self._is_unset(mine[0], name):
                raise recurrence(name, elsewhere[0])
            self._check_branches(name, [update])
            first = True
        rises = self._rises(name, update.term)
        greatest = None if rises is None else rises != first
        text = f"it is not shown that {name} begins with less, or more, than it is bound to"
        for combining, above in ((Kind.MAX, True), (Kind.MIN, False)):
            distance = self._distance(name, update.term, above=above)
            if distance is None or distance < (1 if first else 0):
                continue
            if greatest is None or greatest == above:
                return Carried(name, LaneMerge.CHOSEN, (update,), combining)
            if distance >= 1:
                return Carried(name, LaneMerge.CHOSEN_INNER, (update,), combining)
        raise unknown(CLAIM, "not-a-recurrence", text)

    def _check_branches(self, name: str, updates: Sequence[LaneUpdate]) -> None:
        """Where a branch asks for the name, nothing else may depend on the answer."""
        known = {update.step.node for update in updates}
        for step in self._body.steps:
            asks = any(any(mentions(branch.node.test, name)) for branch in step.branches)
            if asks and step.node not in known:
                raise recurrence(name, step.node)

    def _reads(self, value: Value, name: str) -> bool:
        return self._loop.carried[name] in value.walk()

    def _is_unset(self, value: Value, name: str) -> bool:
        """`found == -1`, where it begins with -1."""
        sides = {self._loop.carried[name], self._loop.initial[name]}
        return value.op is Op.EQ and set(value.operands) == sides

    def _rises(self, name: str, term: ast.expr) -> bool | None:
        """Whether what is chosen rises or falls from iteration to iteration; None: it stays."""
        parts = self._scalar.in_trips(self._facts.forms.of(self._facts.values[term]))
        if parts is not None:
            coefficient = parts[0]
            if coefficient.is_zero:
                return None
            for sign in (coefficient, -coefficient):
                bound = self._bounds.lower_bound(sign)
                if bound is not None and bound.number >= 1:
                    return sign is coefficient
        text = f"line {term.lineno} binds {name} to what neither rises nor falls with the loop"
        raise unknown(CLAIM, "not-a-recurrence", text)

    def _distance(self, name: str, term: ast.expr, *, above: bool) -> int | None:
        """How far what is chosen is above what the name begins with, or below; None: unknown."""
        forms, values = self._facts.forms, self._facts.values
        difference = forms.of(values[term]) - forms.of(self._loop.initial[name])
        return self._least(difference if above else -difference)

    def _least(self, form: Polynomial) -> int | None:
        """What a form is not below in any iteration: it is least in the first or the last."""
        parts, count = self._scalar.in_trips(form), self._facts.forms.trip_count(self._loop)
        if parts is None:
            return None
        coefficient, rest = parts
        if self._at_least(coefficient) is None and count is not None:
            last = self._at_least(rest + coefficient * (count - 1))
            if self._at_least(-coefficient) is not None:
                return last
            first = self._at_least(rest)
            return None if first is None or last is None else min(first, last)
        return self._at_least(rest) if self._at_least(coefficient) is not None else None

    def _at_least(self, form: Polynomial) -> int | None:
        """A number from 0 on that a form is not below, whatever sizes are."""
        bound = self._bounds.lower_bound(form)
        return None if bound is None or bound.sizes or bound.number < 0 else bound.number

    # The largest element and its index

    def _is_extremum(self, name: str, updates: Sequence[LaneUpdate]) -> bool:
        """`if x > best: best = x`"""
        return len(updates) == 1 and self._comparison(name, updates[0]) is not None

    def _comparison(self, name: str, update: LaneUpdate) -> Value | None:
        """The condition that compares what the name is bound to with the name."""
        if update.combining is not None or update.step.guarded:
            return None
        mine = [v for v, holds in update.asked(self._facts) if holds and self._reads(v, name)]
        term, carried = self._facts.values[update.term], self._loop.carried[name]
        if len(mine) != 1 or mine[0].op not in (Op.LT, Op.GT, Op.LE, Op.GE):
            return None
        return mine[0] if set(mine[0].operands) == {term, carried} else None

    def _extremum(
        self,
        name: str,
        updates: tuple[LaneUpdate, ...],
        readers: Sequence[str],
        all_updates: Mapping[str, tuple[LaneUpdate, ...]],
    ) -> Carried:
        (update,) = updates
        asked = self._comparison(name, update)
        assert asked is not None
        tests = [t for n in (name, *readers) for u in all_updates[n] for t in u.tests]
        known = {place for test in tests for place in mentions(test, name)}
        other = [place for place in self._elsewhere(name, updates) if place not in known]
        if other:
            raise recurrence(name, other[0])
        self._check_branches(name, [u for n in (name, *readers) for u in all_updates[n]])
        initial = self._loop.initial[name].constant
        if not isinstance(initial, (int, float)) or initial != initial:
            text = f"{name} may begin with NaN, which is more than nothing and less than nothing"
            raise unknown(CLAIM, "not-a-recurrence", text)
        grows = (asked.op in (Op.GT, Op.GE)) == (asked.right is self._loop.carried[name])
        return Carried(name, LaneMerge.REDUCED, updates, Kind.MAX if grows else Kind.MIN)

    def _goes_with(
        self,
        name: str,
        updates: Sequence[LaneUpdate],
        extremum: str,
        all_updates: Mapping[str, tuple[LaneUpdate, ...]],
    ) -> bool:
        """Whether a name changes exactly where an extremum does."""
        if name == extremum or len(updates) != 1 or len(all_updates[extremum]) != 1:
            return False
        mine, other = updates[0], all_updates[extremum][0]
        if mine.combining is not None or mine.step.guarded or self._elsewhere(name, updates):
            return False
        return set(mine.asked(self._facts)) == set(other.asked(self._facts))

    def _index(
        self,
        name: str,
        updates: tuple[LaneUpdate, ...],
        extremum: str,
        all_updates: Mapping[str, tuple[LaneUpdate, ...]],
    ) -> Carried:
        asked = self._comparison(extremum, all_updates[extremum][0])
        assert asked is not None
        if asked.op in (Op.LE, Op.GE):
            text = f"of equal elements {name} is the last one's"
            raise refuted(CLAIM, "no-such-reduction", text)
        rises = self._rises(name, updates[0].term)
        if rises is None:
            raise recurrence(name, updates[0].step.node)
        return Carried(name, LaneMerge.INDEX, updates, Kind.MIN if rises else Kind.MAX, extremum)
