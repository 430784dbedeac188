"""A second loop, which goes through the row once more with what the first one found.

It is divided too, in the second kernel: each program of that one puts together what was found in
its row, and goes through a part of it. So nothing may depend on what another part stores, and
what stands around the loop is stored by one part alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.algebra.atoms import Iteration, Lane
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.algebra.variation import has_unknown_axes, varies_along, varies_with
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.value_parts import all_parts, bounds_of, is_computed_in
from tritonopt.source.trees import walk
from tritonopt.transforms.aliasing import prove_unchanged
from tritonopt.transforms.writing import names_bound

_AXES = 5
"""That a tile has at most, as far as anybody has seen."""
_INDEPENDENT = "iterations-are-independent"


@dataclass(frozen=True)
class SecondSweep:
    """A loop behind the first one whose turns may be divided."""

    facts: KernelFacts
    loop: Loop
    first: Loop

    @cached_property
    def alone(self) -> list[ast.stmt]:
        """The statements behind the first loop that one part alone may do."""
        body = self.facts.kernel.node.body
        behind = body[body.index(self.first.node) + 1 :]
        effects = [e.node for e in self._effects if e.kind is not EffectKind.LOAD]
        return [s for s in behind if s is not self.loop.node and any(n in effects for n in walk(s))]

    @property
    def _effects(self) -> list[Effect]:
        return [e for e in self.facts.effects if e.order > self.first.last]

    # Whether it may

    def prove(self, attempt: Attempt) -> None:
        """Raises Declined where a part may see what another one does."""
        self._check_carried()
        self._check_alone()
        stores = [e for e in self._effects if e.writes]
        inside = [e for e in stores if self.loop in e.loops]
        for store in inside:
            self._check_apart(store)
        for one, other in combinations(stores, 2):
            if (one in inside or other in inside) and self.facts.may_alias(one, other):
                raise self._shared(one, other)
        loads = [e for e in self.facts.effects if e.kind is EffectKind.LOAD and self._is_again(e)]
        prove_unchanged(attempt, self.facts, loads, stores, "nothing is stored")
        where = f"each iteration of the loop in line {self.loop.line}"
        attempt.prove(_INDEPENDENT, f"{where} stores to elements of its own")

    def _is_again(self, load: Effect) -> bool:
        """Whether the second kernel does it: behind the first loop, or before it."""
        return self.first not in load.loops

    def _check_carried(self) -> None:
        """No turn needs what the one before has left, and nor does what is behind the loop."""
        loop = self.loop
        for value in self._values():
            for part in all_parts(self.facts, value):
                if part.op is Op.CARRIED and part.carrier.loop == loop.identity:
                    text = f"the kernel has another loop in line {loop.line}, which carries "
                    text += f"{part.carrier.name} from iteration to iteration"
                    raise refuted("rows-can-be-lifted", "several-sweeps", text)
                if part.op is Op.OPAQUE and is_computed_in(loop, part):
                    text = f"what the loop in line {loop.line} does is not understood: "
                    raise unknown("accumulators-are-sums", "opaque-value", text + part.reason)
        body = self.facts.kernel.node.body
        bound = names_bound(loop.node)
        for statement in body[body.index(loop.node) + 1 :]:
            for node in walk(statement):
                if isinstance(node, ast.Name) and node.id in bound:
                    text = f"line {node.lineno} names {node.id}, which the loop binds"
                    raise refuted("accumulators-are-sums", "last-value-is-used", text)

    def _values(self) -> Iterator[Value]:
        """All that decides what the loop does."""
        yield from bounds_of(self.loop)
        for inner in self.facts.loops:
            if self.loop in inner.nest and inner is not self.loop:
                yield from bounds_of(inner)
        for effect in self._effects:
            if self.loop in effect.loops:
                found = (effect.pointer, effect.mask, effect.stored, effect.other)
                yield from (value for value in found if value is not None)
                yield from (guard.condition for guard in effect.guards)

    def _check_alone(self) -> None:
        """What one part alone does leaves nothing behind but what is in memory."""
        for effect in self._effects:
            inside = self.loop in effect.loops
            allowed = (EffectKind.LOAD, EffectKind.STORE, *(() if inside else (EffectKind.ATOMIC,)))
            if effect.kind not in allowed or effect.volatile:
                text = f"{effect.name} in line {effect.line} would be done by several programs"
                raise refuted("parts-are-independent", "done-by-every-part", text)
        for statement in self.alone:
            bound = names_bound(statement)
            if bound:
                text = f"line {statement.lineno} stores, and binds {min(bound)} as well"
                raise refuted("parts-are-independent", "done-by-every-part", text)

    def _check_apart(self, store: Effect) -> None:
        """Different turns store to different elements: they have stretches side by side."""
        if store.pointer is not None:
            base, offset = self.facts.forms.address(store.pointer)
            parts = _linear(offset, Iteration(self.loop.identity))
            if base is not None and parts is not None and self._are_apart(*parts, store.mask):
                return
        text = f"it is not shown that line {store.line} stores to another element each time"
        raise unknown(_INDEPENDENT, "dependence-between-iterations", text)

    def _are_apart(self, step: Polynomial, rest: Polynomial, mask: Value | None) -> bool:
        """Whether turns that are so far apart touch different elements."""
        if not self._is_uniform(step):
            return False
        return self._is_one_tile(step, rest) or self._is_bounded(step, rest, mask)

    def _is_one_tile(self, step: Polynomial, rest: Polynomial) -> bool:
        """Whether a turn begins where the tile of the one before has ended."""
        lanes = [a for a in rest.atoms if isinstance(a, Lane)]
        inner = _linear(rest, lanes[0]) if len(lanes) == 1 else None
        if inner is None or not all(map(self._is_uniform, inner)):
            return False
        lane = inner[0].constant_value
        return bool(lane) and (step - inner[0] * lanes[0].extent).is_zero

    def _is_bounded(self, step: Polynomial, rest: Polynomial, mask: Value | None) -> bool:
        """Whether what moves within a turn is masked to be from 0 to less than its step."""
        forms = self.facts.forms
        for part in _conjuncts(mask):
            if part.op is Op.LT and (forms.of(part.right) - step).is_zero:
                moving = forms.of(part.left)
                if forms.is_nonnegative(moving) and self._is_uniform(rest - moving):
                    return True
        return False

    def _is_uniform(self, form: Polynomial) -> bool:
        """Whether it is one number for all lanes, and in all turns of the loop."""
        inside = [loop for loop in self.facts.loops if self.loop in loop.nest]
        varying = any(varies_with(atom, loop) for atom in form.atoms for loop in inside)
        lanes = any(varies_along(atom, axis) for atom in form.atoms for axis in range(_AXES))
        return not varying and not lanes and not has_unknown_axes(form)

    def _shared(self, one: Effect, other: Effect) -> Declined:
        text = f"lines {one.line} and {other.line} may store to one element"
        return unknown(_INDEPENDENT, "dependence-between-iterations", text)

    # Its text

    @property
    def header(self) -> ast.Call:
        assert isinstance(self.loop.node, ast.For)
        assert isinstance(self.loop.node.iter, ast.Call)
        return self.loop.node.iter

    def runs(self) -> Iterator[tuple[bool, list[ast.stmt]]]:
        """The statements behind the first loop, in runs: whether one part alone does them."""
        body = self.facts.kernel.node.body
        behind = body[body.index(self.first.node) + 1 :]
        for alone, run in groupby(behind, key=lambda statement: statement in self.alone):
            yield alone, list(run)


def second_sweep(facts: KernelFacts, first: Loop) -> SecondSweep | None:
    """The one loop behind the first one, where there is one; None where the first one is alone.

    Raises Declined where there are more loops, or another one comes first.
    """
    others = [loop for loop in facts.loops if first not in loop.nest]
    if not others:
        return None
    second, body = others[0], facts.kernel.node.body
    alone = all(second in loop.nest for loop in others) and second.node in body
    if not alone or not second.is_counted or body.index(second.node) < body.index(first.node):
        text = f"the kernel has another loop in line {second.line}"
        raise refuted("rows-can-be-lifted", "several-sweeps", text)
    return SecondSweep(facts, second, first)


def _conjuncts(mask: Value | None) -> Iterator[Value]:
    """Comparisons all of which hold where a mask does."""
    if mask is not None and mask.op in (Op.AND, Op.BOTH):
        yield from _conjuncts(mask.left)
        yield from _conjuncts(mask.right)
    elif mask is not None:
        yield mask


def _linear(form: Polynomial, atom: Iteration | Lane) -> tuple[Polynomial, Polynomial] | None:
    """(coefficient, rest) of `coefficient * atom + rest`, neither of which has the atom inside."""
    coefficient = rest = form - form
    for monomial, number in form.terms.items():
        powers = dict(monomial)
        power = powers.pop(atom, 0)
        if power not in (0, 1) or any(atom in set(other.leaves()) for other in powers):
            return None
        part = Polynomial({tuple((a, p) for a, p in monomial if a != atom): number})
        coefficient, rest = (coefficient + part, rest) if power else (coefficient, rest + part)
    return coefficient, rest
