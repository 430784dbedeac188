"""Loops of one block that go through the same row."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.writing import is_plain
from tritonopt.facts import EffectKind, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import CeilDiv, Iteration, Loaded
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.algebra.turns import takes_one_turn
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.effects import Effect
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import Accumulation, accumulation
from tritonopt.source.trees import walk

_Block = tuple[ast.stmt, str]
"""A list of statements: what it belongs to, and the field that it is."""


@dataclass(frozen=True)
class RowSweeps:
    """Two loops or more of one block, each over as many tiles, that read the same buffers."""

    facts: KernelFacts
    owner: ast.stmt
    """What the block belongs to: the kernel, a loop or a branch."""
    field: str
    loops: tuple[Loop, ...]
    one_turn: bool
    """Whether none of them is ever seen to take a second turn."""
    given: tuple[Assumption, ...] = ()
    """What the user gave for that."""

    @property
    def block(self) -> list[ast.stmt]:
        found = getattr(self.owner, self.field)
        assert isinstance(found, list)
        return found

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """From what the first loop starts with to what is made of the last loop's sums alone."""
        first, last = (self.block.index(self.loops[i].node) for i in (0, -1))
        while first > 0 and self._starts_accumulator(self.block[first - 1]):
            first -= 1
        while last + 1 < len(self.block) and self._reduces(self.block[last + 1]):
            last += 1
        return self.block[first : last + 1]

    def _reduces(self, statement: ast.stmt) -> bool:
        """Whether a statement is the first to read an accumulator of the last loop."""
        loop = self.loops[-1]
        results = {n: r for n, r in loop.result.items() if r.rank and r is not loop.initial[n]}
        return is_plain(self.facts, statement) and any(
            isinstance(node, ast.Name) and self.facts.values.get(node) is results.get(node.id)
            for node in walk(statement)
            if isinstance(node, ast.Name) and node.id in results
        )

    def _starts_accumulator(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name in self.loops[0].carried and is_plain(self.facts, statement)
        return False

    @property
    def effects(self) -> Iterator[Effect]:
        return self.facts.within(self.loops[0], self.loops[-1])

    @property
    def count(self) -> Polynomial | None:
        """How many tiles the first loop takes."""
        return self.facts.forms.trip_count(self.loops[0])


def row_sweeps(facts: KernelFacts) -> Iterator[RowSweeps]:
    """The groups of loops that may read one row several times, in source order."""
    for (owner, field), loops in _by_block(facts).items():
        while loops:
            given: list[Assumption] = []
            one_turn = takes_one_turn(facts, loops[0], given)
            count = facts.forms.trip_count(loops[0])
            alike = [
                loop
                for loop in loops
                if (one_turn and takes_one_turn(facts, loop, given))
                or (count is not None and facts.forms.trip_count(loop) == count)
            ] or [loops[0]]
            loops = [loop for loop in loops if loop not in alike]
            if (one_turn or _goes_through_tiles(count)) and _read_the_same(facts, alike):
                rests_on = tuple(dict.fromkeys(given))
                yield RowSweeps(facts, owner, field, tuple(alike), one_turn, rests_on)


def _goes_through_tiles(count: Polynomial | None) -> bool:
    tiles = count.sole_atom if count is not None else None
    return tiles is not None and isinstance(tiles, CeilDiv)


def _by_block(facts: KernelFacts) -> dict[_Block, list[Loop]]:
    own = {loop.node: loop for loop in facts.loops if not loop.inlined and loop.kind != "while"}
    found: dict[_Block, list[Loop]] = {}
    if len(own) < 2:
        return found
    for owner in facts.kernel.nodes:
        if not isinstance(owner, ast.stmt):
            continue
        for field, block in ast.iter_fields(owner):
            loops = [own[s] for s in block if s in own] if isinstance(block, list) else []
            if len(loops) > 1:
                found[owner, field] = loops
    return found


def _read_the_same(facts: KernelFacts, loops: Sequence[Loop]) -> bool:
    """Whether two of the loops load from one buffer."""
    seen: set[str] = set()
    for loop in loops:
        loads = (e for e in facts.effects if e.kind is EffectKind.LOAD and loop in e.loops)
        read = {base for load in loads for base in facts.bases(load) or ()}
        if read & seen:
            return True
        seen |= read
    return False


# Pairs of sweeps that look like a sum and a sum of squares around its mean


@dataclass(frozen=True)
class TwoSums:
    """What a first sweep adds up, and one name to which a second sweep adds."""

    sweeps: TwoSweeps
    name: str

    @property
    def facts(self) -> KernelFacts:
        return self.sweeps.facts

    @cached_property
    def sums(self) -> list[Accumulation]:
        """What the first loop adds up."""
        first = self.sweeps.first
        found = (self._accumulation(first, carried) for carried in sorted(first.carried))
        return [one for one in found if one is not None]

    @cached_property
    def squares(self) -> Accumulation | None:
        """What the second loop adds to the name; None where it does anything else with it."""
        return self._accumulation(self.sweeps.second, self.name)

    def _accumulation(self, loop: Loop, name: str) -> Accumulation | None:
        try:
            return accumulation(self.facts, self.facts.forms, loop, name)
        except TooLarge:
            return None

    @property
    def is_site(self) -> bool:
        """Whether the second loop accumulates something that the first one's sums go into.

        Also where it squares the elements that the first one adds: a reader
        expects a word on those, though their center is not the first one's sum.
        """
        if self.squares is None:
            return bool(self.sums) and self._adds_to_itself() and self.depends
        if self.depends:
            return bool(self.sums) or squared_loads(self.squares.term) != set()
        return self._squares_the_same_elements(self.squares)

    @property
    def depends(self) -> bool:
        """Whether what the second loop adds is made from a result of the first one."""
        todo = [self._innermost.following[self.name]]
        seen: set[int] = set()
        while todo:
            for part in todo.pop().walk():
                if part.serial in seen or part.op not in (Op.RESULT, Op.CARRIED):
                    continue
                seen.add(part.serial)
                identity, name = part.carrier
                loop = self.facts.loops[identity]
                if part.op is Op.RESULT and loop is self.sweeps.first:
                    return True
                if self.sweeps.second in loop.nest and name != self.name:
                    todo.append(loop.initial[name])
        return False

    @property
    def _innermost(self) -> Loop:
        """The loop of the second nest in which the name is bound last."""
        loop = self.sweeps.second
        while True:
            following = loop.following[self.name]
            if following.op is not Op.RESULT:
                return loop
            inner = self.facts.loops[following.carrier.loop]
            if inner.parent is not loop or self.name not in inner.following:
                return loop
            loop = inner

    def _adds_to_itself(self) -> bool:
        loop = self._innermost
        carried, following = loop.carried[self.name], loop.following[self.name]
        return following is not carried and carried in following.walk()

    def _squares_the_same_elements(self, squares: Accumulation) -> bool:
        mine = {_place(a) for a in squared_loads(squares.term)}
        theirs = {_place(a) for s in self.sums for a in s.term.atoms if isinstance(a, Loaded)}
        return bool(mine & theirs)


def squared_loads(form: Polynomial) -> set[Loaded]:
    """The elements that go into a form with a power of 2 or more."""
    return {a for monomial in form.terms for a, p in monomial if isinstance(a, Loaded) and p > 1}


def _place(load: Loaded) -> tuple[str, str]:
    """Where a load reads, apart from which iteration of which loop it is."""
    anywhere = load.offset.map(lambda a: Iteration() if isinstance(a, Iteration) else None)
    return load.base, anywhere.key


def comes_from(value: Value, loop: Loop) -> bool:
    """Whether a value is made from what a loop has left."""
    return any(v.op is Op.RESULT and v.carrier.loop == loop.identity for v in value.walk())
