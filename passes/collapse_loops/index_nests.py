"""Nests to collapse: loops that count an index each, around one that goes from tile to tile."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import CeilDiv, Iteration, Lane, Negative
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import Op
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Nest:
    """Loops of the kernel's own text, outermost first; the last one goes over tiles of a row."""

    facts: KernelFacts
    loops: tuple[Loop, ...]
    extent: Polynomial
    """How many elements the row has."""
    tile: Polynomial
    """How many of them a tile has."""

    @property
    def outer(self) -> tuple[Loop, ...]:
        """The loops that count an index each."""
        return self.loops[:-1]

    @property
    def sweep(self) -> Loop:
        return self.loops[-1]

    @property
    def first(self) -> ast.For:
        assert isinstance(self.loops[0].node, ast.For)
        return self.loops[0].node

    @cached_property
    def nodes(self) -> frozenset[ast.AST]:
        return frozenset(walk(self.first))

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        return tuple(e for e in self.facts.effects if self.loops[0] in e.loops)

    @cached_property
    def identities(self) -> frozenset[int]:
        return frozenset(loop.identity for loop in self.loops)

    @cached_property
    def counters(self) -> frozenset[str]:
        """The names that the loops count with."""
        targets = (loop.node.target for loop in self.loops if isinstance(loop.node, ast.For))
        return frozenset(target.id for target in targets if isinstance(target, ast.Name))

    @cached_property
    def counts(self) -> list[Polynomial]:
        """How many turns each outer loop has, and elements the row."""
        found = [self.facts.forms.trip_count(loop) for loop in self.outer]
        return [*(count for count in found if count is not None), self.extent]

    @cached_property
    def place(self) -> Polynomial:
        """Where a lane is in the row."""
        trip = Polynomial.of(Iteration(self.sweep.identity))
        return self.tile * trip + Polynomial.of(Lane(self.tile, 0))

    @cached_property
    def indicator(self) -> Negative:
        """1 in the lanes of the row, 0 behind its end."""
        return Negative(self.place - self.extent)

    @cached_property
    def between(self) -> tuple[tuple[ast.stmt, ...], ...]:
        """Of each outer loop, the statements above the loop in it."""
        pairs = zip(self.loops, self.loops[1:], strict=False)
        return tuple(tuple(o.node.body[: o.node.body.index(i.node)]) for o, i in pairs)

    @cached_property
    def places(self) -> tuple[ast.Assign, ...]:
        """The statements that give the place of each lane in the row a name."""
        return tuple(
            statement
            for statement in self.sweep.node.body
            if isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and self._is_place(self.facts.values.get(statement.value))
        )

    def _is_place(self, value: Value | None) -> bool:
        return value is not None and value.rank == 1 and self.facts.forms.of(value) == self.place

    @cached_property
    def _varying(self) -> dict[int, bool]:
        return {}

    def varies(self, value: Value) -> bool:
        """Whether a value may differ from element to element of the nest."""
        if value.serial not in self._varying:
            tile = value.shape != ()  # a number that tiles were reduced to has no lanes
            found = any(self._varies_itself(part, tile) for part in value.walk())
            self._varying[value.serial] = found
        return self._varying[value.serial]

    def _varies_itself(self, part: Value, tile: bool) -> bool:
        match part.op:
            case Op.LANE:
                return tile
            case Op.ITERATION:
                return part.number in self.identities
            case Op.CARRIED:
                return part.carrier.loop in self.identities
            case Op.RESULT:
                around = self.facts.loops[part.carrier.loop].nest[:-1]
                return any(loop in self.loops for loop in around)
            case Op.OPAQUE:
                assert isinstance(part.attribute, tuple)
                return not self.identities.isdisjoint(part.attribute[2])
        return part.rank is None

    def inner(self) -> Nest | None:
        """The nest without its outermost loop; None where that leaves a loop alone."""
        if len(self.loops) == 2:
            return None
        return Nest(self.facts, self.loops[1:], self.extent, self.tile)


def index_nests(facts: KernelFacts) -> Iterator[Nest]:
    """The nests of the kernel, as many loops around each as there are, in source order."""
    around = {loop.parent for loop in facts.loops}
    for loop in facts.loops:
        count = facts.forms.trip_count(loop) if _is_counted(loop) and loop not in around else None
        tiles = count.sole_atom if count is not None else None
        if not isinstance(tiles, CeilDiv):
            continue
        loops = [loop]
        while (parent := loops[0].parent) is not None and _is_only_around(facts, parent, loops[0]):
            loops.insert(0, parent)
        extent, tile = tiles.inside
        nest = Nest(facts, tuple(loops), extent, tile)
        if len(loops) > 1 and any(e.pointer is not None for e in nest.effects):
            yield nest


def _is_counted(loop: Loop) -> bool:
    named = isinstance(loop.node, ast.For) and isinstance(loop.node.target, ast.Name)
    return named and not loop.inlined and loop.is_counted


def _is_only_around(facts: KernelFacts, loop: Loop, inner: Loop) -> bool:
    """Whether a loop counts one by one, and does little more than to run the inner one.

    One that begins a sum anew in each turn, or uses it behind the inner loop, goes from row to row.
    """
    if not _is_counted(loop) or loop.step is None or inner.node not in loop.node.body:
        return False
    if facts.forms.of(loop.step).constant_value != 1:
        return False
    if any(isinstance(s, (ast.For, ast.While)) for s in loop.node.body if s is not inner.node):
        return False
    return all(
        inner.initial[name] is loop.carried.get(name)
        and loop.following[name] is inner.result.get(name)
        for name in inner.carried
    )
