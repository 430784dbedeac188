"""Two sweeps: what must hold before one nest of loops is merged into an earlier one.

A sweep is a loop, or a nest of loops, over the data of a row or a range of
tiles. These conditions speak of the loops and of memory only; what the sweeps
compute is the pass's own affair.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import Atom, EffectKind, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import MATRIX, function
from tritonopt.facts.memory.dependence import change_of_data, orders_memory, prove_unchanged
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Carrier
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class TwoSweeps:
    """A loop and a later one of the same block."""

    facts: KernelFacts
    first: Loop
    second: Loop

    @property
    def effects(self) -> list[Effect]:
        """All that happens from the start of the first to the end of the second."""
        return list(self.facts.within(self.first, self.second))

    @property
    def loads(self) -> list[Effect]:
        """The loads of both sweeps."""
        return [
            effect
            for effect in self.facts.effects
            if effect.kind is EffectKind.LOAD
            and (self.first in effect.loops or self.second in effect.loops)
        ]

    def check_path(self, attempt: Attempt) -> None:
        """Nothing on the way may leave, wait, or do what is not known."""
        for effect in self.effects:
            self._check_on_path(effect)
        attempt.prove(
            "data-is-unchanged", "no exit, barrier, atomic or unknown call between the loops"
        )

    def _check_on_path(self, effect: Effect) -> None:
        what = f"{effect.name} in line {effect.line}"
        match effect.kind:
            case EffectKind.EXIT:
                raise refuted("loops-are-plain", "early-exit", f"{what} may exit early")
            case EffectKind.ATOMIC if any(self.facts.may_alias(e, effect) for e in self.loads):
                raise refuted("data-is-unchanged", "data-may-change", f"{what} may change the data")
            case EffectKind.BARRIER | EffectKind.ATOMIC:
                raise refuted("data-is-unchanged", "memory-order", f"{what} orders memory")
            case EffectKind.CALL:
                reason = "memory-order" if orders_memory(effect) else "opaque-value"
                raise unknown("data-is-unchanged", reason, f"the effects of {what} are not known")
            case EffectKind.LOAD if effect.volatile:
                raise refuted("data-is-unchanged", "volatile-load", f"the {what} is volatile")

    def check_ranges(
        self,
        attempt: Attempt,
        ours: Sequence[Loop],
        theirs: Sequence[Loop],
        end_of_mask: Callable[[Loop], tuple[Polynomial, Polynomial] | None],
    ) -> dict[Atom, Atom]:
        """Both nests must run through the same iterations, but for those behind an index from
        which on all that they do is masked off: `end_of_mask` finds it.

        Returns what to call the trips of the second nest in the first one's forms.
        """
        if len(ours) != len(theirs):
            nests = f"{len(ours)} nested loops against {len(theirs)}"
            raise refuted("same-range", "different-range", nests)
        forms = self.facts.forms
        renaming: dict[Atom, Atom] = {}
        shown = ""
        for one, other in zip(ours, theirs, strict=True):
            where = f"the loops in lines {one.line} and {other.line}"
            mine, count = forms.trip_count(one), forms.trip_count(other)
            if mine is None or count is None:
                detail = f"how often {where} run is not known"
                raise unknown("same-range", "different-range", detail)
            count = count.map(renaming.get)
            if mine != count and not _ends_alike(end_of_mask(one), end_of_mask(other), renaming):
                self._check_not_continued(one, other)
                steps = [loop.step for loop in (one, other)]
                if steps[0] is not steps[1] and all(s and s.constant != 1 for s in steps):
                    raise refuted("same-range", "different-range", f"{where} have different steps")
                runs = f"{where} run {mine.readable} and {count.readable} times"
                raise refuted("same-range", "different-range", runs)
            if mine != count:
                shown = f"{where} both run until their masks are false"
            renaming[Iteration(other.identity)] = Iteration(one.identity)
        attempt.prove("same-range", shown or f"{_times(forms.trip_count(ours[0]))} each")
        return renaming

    def _check_not_continued(self, one: Loop, other: Loop) -> None:
        """Two loops one after the other may be one sweep, whose last tiles stand apart."""
        if one.stop is None or other.start is None or one.step is None or other.step is None:
            return
        of = self.facts.forms.of
        if of(one.stop) == of(other.start) and of(one.step) == of(other.step):
            detail = (
                f"the loop in line {other.line} continues where the one in line {one.line} "
                "ends, so together they read the row once, and there is nothing to merge"
            )
            raise refuted("same-range", "already-done", detail)

    def check_memory(self, attempt: Attempt) -> None:
        """Nothing may store to the data from the first loop to the end of the second."""
        otherwise = "nothing is stored from the first loop to the second"
        prove_unchanged(attempt, self.facts, self.loads, self.effects, otherwise)

    def change_of_data(self) -> Declined:
        """The store that may change the data between the loops, and why it may."""
        for effect in self.effects:
            loads = [load for load in self.loads if self.facts.may_alias(load, effect)]
            if effect.writes and loads:
                return change_of_data(self.facts, loads[0], effect)
        detail = "the data may change between the loops"
        return unknown("data-is-unchanged", "data-may-change", detail)

    def check_rest(self, attempt: Attempt, name: str) -> None:
        """The second loop may have no other effect than on `name`, nor any other use."""
        self._check_only(self.second, name, "second")
        attempt.prove("nothing-else-is-lost", f"only {name} of it is used")

    def first_only_keeps(self, name: str) -> bool:
        """Whether the first loop has no other effect than on `name`, nor any other use."""
        try:
            self._check_only(self.first, name, "first")
        except Declined:
            return False
        return True

    def _check_only(self, sweep: Loop, name: str, which: str) -> None:
        """Nothing may be done or left by a sweep but what it leaves in a name."""
        claim, reason = "nothing-else-is-lost", "loop-does-more"
        for loop in (self.first, self.second):
            if any(isinstance(n, (ast.For, ast.While)) and n.orelse for n in walk(loop.node)):
                raise refuted(claim, reason, f"the loop in line {loop.line} has an else")
        for effect in self.facts.effects:
            if sweep in effect.loops and (effect.writes or effect.kind is EffectKind.PRINT):
                also = f"the {which} loop also does the {effect.name} in line {effect.line}"
                raise refuted(claim, reason, also)
        inside = set(walk(sweep.node))
        lost = self._lost(sweep, name)
        for value, line in self._values_outside(sweep, inside):
            for part in value.walk():
                if part.op in (Op.RESULT, Op.CARRIED) and part.carrier in lost:
                    used = f"{part.carrier.name} of the {which} loop is used in line {line}"
                    raise refuted(claim, reason, used)
        bound = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for node, value in self.facts.values.items():
            later = isinstance(node, ast.Name) and node.id in bound and node not in inside
            if later and value.op is Op.OPAQUE and node.lineno > sweep.line:
                read = f"line {node.lineno} reads a name that the {which} loop binds"
                raise unknown(claim, reason, read)

    def _lost(self, sweep: Loop, name: str) -> set[Carrier]:
        """What a sweep leaves in names other than `name`, and who carries it on."""
        lost = {
            Carrier(loop.identity, carried)
            for loop in self.facts.loops
            if sweep in loop.nest
            for carried in loop.carried
            if carried != name
        }
        before = 0
        while len(lost) > before:
            before = len(lost)
            for loop in (loop for loop in self.facts.loops if sweep not in loop.nest):
                for carried, initial in loop.initial.items():
                    ends = (*initial.walk(), *loop.following[carried].walk())
                    parts = (p for p in ends if p.op in (Op.RESULT, Op.CARRIED))
                    if any(p.carrier in lost for p in parts):
                        lost.add(Carrier(loop.identity, carried))
        return lost

    def _values_outside(self, sweep: Loop, inside: set[ast.AST]) -> Iterator[tuple[Value, int]]:
        for node, value in self.facts.values.items():
            if node not in inside:
                yield value, node.lineno
        for loop in self.facts.loops:
            if loop.first > sweep.last or loop.first < sweep.first:
                yield from ((bound, loop.line) for bound in loop.bounds)


_End = tuple[Polynomial, Polynomial]


def _ends_alike(one: _End | None, other: _End | None, renaming: Mapping[Atom, Atom]) -> bool:
    if one is None or other is None:
        return False
    return one == tuple(form.map(renaming.get) for form in other)


def earlier_siblings(facts: KernelFacts) -> Iterator[tuple[Loop, list[Loop]]]:
    """Each `for` loop of the kernel with those before it in its own block, nearest first."""
    loops = [loop for loop in facts.loops if not loop.inlined and isinstance(loop.node, ast.For)]
    if len(loops) < 2:
        return
    block_of: dict[ast.AST, int] = {}
    for node in facts.kernel.nodes:
        for _, block in ast.iter_fields(node):
            if isinstance(block, list):
                block_of.update((s, id(block)) for s in block if isinstance(s, ast.For))
    for second in loops:
        before = [
            first
            for first in loops
            if first.last < second.first and block_of[first.node] == block_of[second.node]
        ]
        if before:
            yield second, before[::-1]


def _times(count: Polynomial | None) -> str:
    return "no count" if count is None else f"{count.readable} iterations"


def loop_of_products(facts: KernelFacts, node: ast.AST) -> Loop | None:
    """The innermost loop around a node, if it multiplies matrices."""
    resolve = facts.kernel.module.resolve
    around = [loop for loop in facts.loops if any(n is node for n in walk(loop.node))]
    nodes = walk(around[-1].node) if around else ()
    calls = (one for one in nodes if isinstance(one, ast.Call))
    return around[-1] if any(function(resolve(c.func)) in MATRIX for c in calls) else None
