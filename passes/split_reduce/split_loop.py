"""Whether several programs may share the iterations of a loop, and combine what they found.

They may where an iteration takes over from the one before only accumulators, to each of which it
brings something that does not depend on any of them: then it does not matter who brings what.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.turns import goes_through_parts
from tritonopt.facts.effects import Effect
from tritonopt.facts.memory.dependence import INDEPENDENT, Accesses, prove_unchanged
from tritonopt.facts.memory.dependence import Kind as Common
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences import Kind, plain_update
from tritonopt.facts.recurrences.partials import (
    Partial,
    check_last_values,
    partials_of,
    reads_after,
    statements_after,
)
from tritonopt.facts.recurrences.reading import all_parts, bounds_of, is_computed_in
from tritonopt.source.trees import walk

_SUMS, _COMBINED = "accumulators-are-sums", "accumulators-can-be-combined"
_REFUSED = ("warp_specialize", "flatten")
"""Options of `tl.range` that a part of a loop cannot have."""


@dataclass(frozen=True)
class SplitLoop:
    """A loop of the kernel's own block that may be divided."""

    facts: KernelFacts
    loop: Loop
    partials: tuple[Partial, ...]
    moved: Mapping[str, ast.expr]
    """Pointers and offsets that each iteration moves by the same step, which is given."""
    second: SecondSweep | None
    """The loop after it that the second kernel divides too."""


def candidates(facts: KernelFacts) -> Iterator[Loop]:
    """Loops that bring what they load to a name, and so may be reductions.

    Not those that programs share already: which of them it is decides where such a loop begins.
    Nor one after another that only goes through the row with what that one has found.
    """
    first = True
    for loop in facts.loops:
        own = loop.parent is None and not loop.inlined and loop.kind != "while"
        if own and not any(map(_asks_for_programs, filter(None, (loop.start, loop.step)))):
            for name, own_value in loop.carried.items():
                parts = list(all_parts(facts, loop.following[name]))
                if any(p.op is Op.LOAD for p in parts) and (first or own_value in parts):
                    yield loop
                    break
            first = False


def _asks_for_programs(value: Value) -> bool:
    """Whether a number is computed from program ids, and not just looked up by them."""
    if value.op is Op.LOAD:
        return False
    own = value.op in (Op.PROGRAM_ID, Op.NUM_PROGRAMS)
    return own or any(map(_asks_for_programs, value.operands))


def is_no_row(facts: KernelFacts, loop: Loop) -> bool:
    """Whether the loop goes through something other than the tiles of a row: single elements,
    experts or taps that the kernel is compiled for, the partial results of other programs."""
    parts = (p for end in loop.following.values() for p in all_parts(facts, end))
    if not any(part.op is Op.LOAD and part.shape != () for part in parts):
        return True
    if loop.stop is not None and loop.step is not None and facts.forms.of(loop.step) == ONE:
        constants = {p.name for p in facts.kernel.parameters if p.constexpr}
        counted = facts.forms.of(loop.stop).atoms
        if all(isinstance(atom, Param) and atom.name in constants for atom in counted):
            return True
    return goes_through_parts(facts, loop)


def prove_split(facts: KernelFacts, loop: Loop, attempt: Attempt) -> SplitLoop:
    """Goes through the conditions; raises Declined at the first one that does not hold."""
    second = _check_loops(facts, loop, attempt)
    _check_effects(facts, loop, attempt)
    if second is not None:
        second.prove(attempt)
    steps = {name: _step(facts, loop, name) for name in loop.carried}
    read = {name for name in loop.carried if reads_after(facts, loop, name)}
    moved = {name: step for name, step in steps.items() if step is not None and name not in read}
    partials = partials_of(facts, loop, read, moved, attempt)
    names = [p.name for p in partials]
    check_last_values(facts, loop, names_bound(loop.node) - set(names))
    attempt.prove(
        _SUMS,
        f"each iteration adds to {' and '.join(names)} a part of its own",
    )
    kinds = [f"{p.name} is a {p.recurrence.kind.noun} in {p.dtype}" for p in partials]
    attempt.prove(_COMBINED, ", ".join(kinds))
    return SplitLoop(facts, loop, partials, moved, second)


def _check_loops(facts: KernelFacts, loop: Loop, attempt: Attempt) -> SecondSweep | None:
    """The second loop over the row, if the kernel has one."""
    where, claim = f"the loop in line {loop.line}", "loops-are-plain"
    if facts.launches.caller is not None:
        called = f"{facts.launches.caller.name} calls this one"
        raise unknown("launches-are-seen", "called-from-a-kernel", called)
    if loop.node not in facts.kernel.node.body:
        raise refuted(claim, "under-a-condition", f"{where} is inside another statement")
    facts.check_counted(loop, *_REFUSED)
    _check_header(loop)
    second = second_sweep(facts, loop)
    if second is not None:
        _check_header(second.loop)
        facts.check_counted(second.loop, *_REFUSED)
    attempt.prove(claim, f"{where} is over a range, without early exit")
    return second


def _check_header(loop: Loop) -> None:
    assert isinstance(loop.node, ast.For)
    header, target = loop.node.iter, loop.node.target
    claim, where = "loops-are-plain", f"the loop in line {loop.line}"
    plain = isinstance(header, ast.Call) and isinstance(target, ast.Name)
    if not plain or any(isinstance(n, ast.Starred) for n in walk(header)):
        raise unknown(claim, "loop-is-not-plain", f"{where} has an unknown kind of header")
    for keyword in header_of(loop).keywords:
        if keyword.arg in (None, "arg1", "arg2", "step"):
            raise unknown(claim, "loop-is-not-plain", f"{where} names its bounds")
    if any(isinstance(n, ast.NamedExpr) for n in walk(header)):
        raise refuted("nothing-else-is-lost", "effect-inside", f"the header of {where} binds")


def _check_effects(facts: KernelFacts, loop: Loop, attempt: Attempt) -> None:
    """Up to the end of the loop there is nothing that may not be done several times."""
    claim = "parts-are-independent"
    for effect in facts.effects:
        where = f"in line {effect.line}"
        if effect.order > loop.last:
            continue
        if effect.kind is EffectKind.EXIT:
            raise refuted(claim, "early-exit", f"the kernel may return {where}")
        if effect.kind is not EffectKind.LOAD:
            text = f"{effect.name} {where} would be executed by each program of the row"
            raise refuted(claim, "done-by-every-part", text)
        if effect.volatile:
            raise refuted(claim, "volatile-load", f"the load {where} is volatile")
    attempt.prove(claim, "up to the end of the loop there are only loads")


def _step(facts: KernelFacts, loop: Loop, name: str) -> ast.expr | None:
    """What the last thing that an iteration does with a name adds to it, the same in each."""
    assert isinstance(loop.node, ast.For)
    body = loop.node.body
    for place, statement in enumerate(body):
        match statement:
            case ast.AugAssign(target=ast.Name(id=own), op=ast.Add(), value=step):
                uses, read = 1, own
            case ast.Assign(
                targets=[ast.Name(id=own)],
                value=ast.BinOp(left=ast.Name(id=read), op=ast.Add(), right=step),
            ):
                uses = 2
            case _:
                continue
        if own != name or read != name:
            continue
        before = {n for s in body[:place] for n in names_bound(s)}
        rest = [n for part in (loop.node.target, loop.node.iter, *body[place:]) for n in walk(part)]
        if name in before or sum(isinstance(n, ast.Name) and n.id == name for n in rest) > uses:
            return None  # a use after the update would be moved too far
        match plain_update(loop, name):
            case (Kind.ADD, by) if loop.identity not in facts.interpretation.variant_loops(by):
                same = Writer(facts).means_the_same(step, facts.before[loop.node])
                return step if same and facts.values.get(step) is by else None
    return None


@dataclass(frozen=True)
class SecondSweep:
    """A loop after the first one whose iterations may be divided."""

    facts: KernelFacts
    loop: Loop
    first: Loop

    @cached_property
    def alone(self) -> list[ast.stmt]:
        """The statements after the first loop that one part alone may do."""
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
            if accesses.of(store, store, self.loop).kind is Common.OPEN:
                text = (
                    f"it is not proved that line {store.line} stores to another element each time"
                )
                raise unknown(INDEPENDENT, "dependence-between-iterations", text)
        for one, other in combinations(stores, 2):
            if (one in inside or other in inside) and self.facts.may_alias(one, other):
                raise self._shared(one, other)
        loads = [e for e in self.facts.effects if e.kind is EffectKind.LOAD and self._is_again(e)]
        prove_unchanged(attempt, self.facts, loads, stores, "nothing is stored")
        where = f"each iteration of the loop in line {self.loop.line}"
        accesses.prove(attempt, INDEPENDENT, f"{where} stores to its own elements")

    def _is_again(self, load: Effect) -> bool:
        """Whether the second kernel does it: after the first loop, or before it."""
        return self.first not in load.loops

    def _check_carried(self) -> None:
        """No iteration needs what the one before has left, and nor does what is after the loop."""
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
                text = f"{effect.name} in line {effect.line} would be executed by several programs"
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
    """The one loop after the first one, where there is one; None where the first one is alone.

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
