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
from tritonopt.emit.writing import names_bound
from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.memory.dependence import INDEPENDENT, Accesses, Kind, prove_unchanged
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.after_loops import check_last_values, statements_after
from tritonopt.facts.recurrences.value_parts import all_parts, bounds_of, is_computed_in
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class SecondSweep:
    """A loop behind the first one whose turns may be divided."""

    facts: KernelFacts
    loop: Loop
    first: Loop

    @cached_property
    def alone(self) -> list[ast.stmt]:
        """The statements behind the first loop that one part alone may do."""
        effects = {e.node for e in self._effects if e.kind is not EffectKind.LOAD}
        after = [s for s in statements_after(self.facts, self.first) if s is not self.loop.node]
        return [s for s in after if not effects.isdisjoint(walk(s))]

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
        accesses = Accesses(self.facts)
        for store in inside:
            if accesses.of(store, store, self.loop).kind is Kind.OPEN:
                text = f"it is not shown that line {store.line} stores to another element each time"
                raise unknown(INDEPENDENT, "dependence-between-iterations", text)
        for one, other in combinations(stores, 2):
            if (one in inside or other in inside) and self.facts.may_alias(one, other):
                raise self._shared(one, other)
        loads = [e for e in self.facts.effects if e.kind is EffectKind.LOAD and self._is_again(e)]
        prove_unchanged(attempt, self.facts, loads, stores, "nothing is stored")
        where = f"each iteration of the loop in line {self.loop.line}"
        accesses.prove(attempt, INDEPENDENT, f"{where} stores to elements of its own")

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
        check_last_values(self.facts, loop, names_bound(loop.node))

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

    def _shared(self, one: Effect, other: Effect) -> Declined:
        text = f"lines {one.line} and {other.line} may store to one element"
        return unknown(INDEPENDENT, "dependence-between-iterations", text)

    def runs(self) -> Iterator[tuple[bool, list[ast.stmt]]]:
        """The statements after the first loop, in runs: whether one part alone does them."""
        after = statements_after(self.facts, self.first)
        for alone, run in groupby(after, key=lambda statement: statement in self.alone):
            yield alone, list(run)


def header_of(loop: Loop) -> ast.Call:
    """`range(...)`."""
    assert isinstance(loop.node, ast.For)
    assert isinstance(loop.node.iter, ast.Call)
    return loop.node.iter


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
