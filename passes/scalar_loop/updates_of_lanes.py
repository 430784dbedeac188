"""What a statement of an iteration does to a name that the loop carries."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tritonopt.checks.condition import Declined, refuted
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reduction_calls import check_modes, combined_sides, mentions
from tritonopt.passes.scalar_loop.loop_bodies import Body, Step, conditions

CLAIM = "accumulators-are-sums"


@dataclass(frozen=True)
class LaneUpdate:
    """One statement, `total += x` or `best = x`, and when it is done."""

    step: Step
    own: tuple[ast.Name, ...]
    """Where the name stands in what it becomes, and where it is bound."""
    term: ast.expr
    """What the name is combined with, or bound to; of several, all that it becomes."""
    combining: Kind | None = None
    """None where the name is bound to the term."""
    plain: bool = False
    """Whether the term is all that it is combined with, under no condition of its own."""
    condition: ast.expr | None = None
    """Of `tl.where(c, term, name)` and `term if c else name`, ..."""
    holds: bool = True
    """... and how that is answered where the name changes."""

    def asked(self, facts: KernelFacts) -> Iterator[tuple[Value, bool]]:
        """The conditions that all hold, or do not hold, where the name changes."""
        tests = [(branch.node.test, branch.holds) for branch in self.step.branches]
        if self.condition is not None:
            tests.append((self.condition, self.holds))
        for test, holds in tests:
            value = facts.values[test]
            parts = conditions(facts, value) if holds else (value,)
            yield from ((part, holds) for part in parts)

    @property
    def tests(self) -> tuple[ast.expr, ...]:
        tests = tuple(branch.node.test for branch in self.step.branches)
        return tests if self.condition is None else (*tests, self.condition)


def updates_of_lanes(body: Body, name: str) -> tuple[LaneUpdate, ...]:
    """Every update of a name. Raises Declined where it is no combination and no choice."""
    reader = _Reader(body.loop.facts, name)
    return tuple(
        reader.update(step)
        for step in body.steps
        if any(not isinstance(place.ctx, ast.Load) for place in mentions(step.node, name))
    )


def recurrence(name: str, node: ast.AST) -> Declined:
    line = getattr(node, "lineno", 0)
    text = f"line {line} needs the {name} of the iteration before"
    return refuted(CLAIM, "not-a-recurrence", text)


@dataclass(frozen=True)
class _Reader:
    facts: KernelFacts
    name: str

    def update(self, step: Step) -> LaneUpdate:
        match step.node:
            case ast.AugAssign(target=ast.Name() as target, value=value):
                found = combined_sides(self.facts, step.node)
                if found is None or any(mentions(value, self.name)):
                    raise recurrence(self.name, step.node)
                return LaneUpdate(step, (target,), value, found[0], plain=True)
            case ast.Assign(targets=[ast.Name() as target], value=value):
                found_update = self._assigned(step, value)
                return replace(found_update, own=(target, *found_update.own))
        raise recurrence(self.name, step.node)

    def _assigned(self, step: Step, value: ast.expr) -> LaneUpdate:
        if not any(mentions(value, self.name)):
            return LaneUpdate(step, (), value)
        choice = choice_of(self.facts, value)
        if choice is None:
            own, combining, terms = self._spine(step, value, None)
            alone = len(terms) == 1
            return LaneUpdate(step, (own,), terms[0] if alone else value, combining, alone)
        condition, then, other = choice
        for kept, term, holds in ((other, then, True), (then, other, False)):
            if not isinstance(kept, ast.Name) or kept.id != self.name:
                continue
            if any(mentions(term, self.name)):
                own, combining, _ = self._spine(step, term, None)
                return LaneUpdate(step, (kept, own), term, combining, False, condition, holds)
            return LaneUpdate(step, (kept,), term, None, False, condition, holds)
        raise recurrence(self.name, step.node)

    def _spine(
        self, step: Step, node: ast.expr, combining: Kind | None
    ) -> tuple[ast.Name, Kind, list[ast.expr]]:
        """`total + a + b`: where the name stands, the operation, and what comes to it."""
        found = combined_sides(self.facts, node) or _of_python(self.facts, node)
        if found is None or combining not in (None, found[0]):
            raise recurrence(self.name, step.node)
        combining, sides = found
        own = [side for side in sides if any(mentions(side, self.name))]
        rest = [side for side in sides if side not in own]
        subtracts = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        if len(own) != 1 or (subtracts and own[0] is not sides[0]):
            raise recurrence(self.name, step.node)
        check_modes(self.facts, node)
        if isinstance(own[0], ast.Name):
            return own[0], combining, rest
        inner, _, more = self._spine(step, own[0], combining)
        return inner, combining, [*more, *rest]


def _of_python(facts: KernelFacts, node: ast.expr) -> tuple[Kind, Sequence[ast.expr]] | None:
    """The builtins `min` and `max` of two numbers."""
    if not isinstance(node, ast.Call) or len(node.args) != 2 or node.keywords:
        return None
    found = {"min": Kind.MIN, "max": Kind.MAX}.get(facts.kernel.module.builtin(node.func))
    return (found, node.args) if found is not None else None


def choice_of(facts: KernelFacts, node: ast.expr) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """The condition and both sides of `tl.where(c, a, b)` and `a if c else b`."""
    value = facts.values.get(node)
    match node:
        case ast.IfExp(test=test, body=then, orelse=other):
            return test, then, other
        case ast.Call(args=[condition, then, other], keywords=[]) if (
            value is not None and value.op is Op.WHERE
        ):
            return condition, then, other
    return None
