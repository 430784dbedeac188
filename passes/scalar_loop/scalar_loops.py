"""Loops that go from element to element: each iteration loads or stores single elements."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.reading import all_parts
from tritonopt.source.trees import walk

_COUNTED = frozenset({"range", "tl.range", "tl.static_range"})


@dataclass(frozen=True)
class ScalarLoop:
    """A counted loop of the kernel's own text, with what is asked of it again and again."""

    facts: KernelFacts
    loop: Loop

    @property
    def node(self) -> ast.For:
        assert isinstance(self.loop.node, ast.For)
        return self.loop.node

    @cached_property
    def nodes(self) -> frozenset[ast.AST]:
        return frozenset(walk(self.node))

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        return tuple(e for e in self.facts.effects if self.loop in e.loops)

    @cached_property
    def _lanes(self) -> dict[Value, bool]:
        return {}

    def is_lane(self, value: Value) -> bool:
        """Whether a value becomes a tile: one of its own for each iteration."""
        if value not in self._lanes:
            self._lanes[value] = any(self._varies(part) for part in value.walk())
        return self._lanes[value]

    def _varies(self, part: Value) -> bool:
        match part.op:
            case Op.ITERATION:
                return part.number == self.loop.identity
            case Op.CARRIED:
                # A helper's loop would carry a name of the helper.
                identity, name = part.carrier
                return identity == self.loop.identity and self.loop.following[name] is not part
            case Op.OPAQUE:
                assert isinstance(part.attribute, tuple)
                return self.loop.identity in part.attribute[2]
        return False

    def is_lane_at(self, node: ast.AST) -> bool:
        """The same of an expression; what has no value is taken to be one."""
        value = self.facts.values.get(node) if isinstance(node, ast.expr) else None
        return value is None or self.is_lane(value)


def scalar_loops(facts: KernelFacts) -> Iterator[ScalarLoop]:
    """Innermost loops of the kernel's own text with an access to one element per iteration.

    A loop that computes with tiles beside that is not meant: these would get one more axis. Nor is
    one of a single turn.
    """
    around = {loop.parent for loop in facts.loops}
    for loop in facts.loops:
        counted = not loop.inlined and loop.kind in _COUNTED and loop not in around
        if counted and not facts.runs_once(loop):
            found = ScalarLoop(facts, loop)
            if any(_is_scalar_access(found, effect) for effect in found.effects) and not any(
                value.shape for node, value in facts.values.items() if node in found.nodes
            ):
                yield found


def _is_scalar_access(loop: ScalarLoop, effect: Effect) -> bool:
    pointer = effect.pointer
    if effect.inlined or pointer is None or pointer.shape != () or not loop.is_lane(pointer):
        return False
    if effect.kind is EffectKind.LOAD and (effect.loaded is None or effect.loaded.shape != ()):
        return False
    blocks = (part.op is Op.BLOCK_POINTER for part in all_parts(loop.facts, pointer))
    return loop.facts.bases(effect) is not None and not any(blocks)
