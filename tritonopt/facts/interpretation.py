"""The record of one forward abstract interpretation over a kernel's structured control flow.

Every expression gets a value, every name its value at each statement, every
loop its carried values, and everything that touches memory or ends a block its
place in one order. `interpreting` makes the record; what is not understood is an
opaque value in it, and a call that is not understood an effect that may do anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.facts.effects import Effect, Guard, Loop
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value, ValueTable, reachable
from tritonopt.source import Kernel
from tritonopt.source.trees import walk

Environment = dict[str, Value]


def is_made(value: Value) -> bool:
    """Whether a value is a block pointer where it is made, and has not moved."""
    return value.op is Op.BLOCK_POINTER and value.function == "make_block_ptr"


@dataclass(eq=False)
class Interpretation:
    """What was found of one kernel; read it, do not change it.

    `values` maps every expression of the kernel's own text to its value (the
    last time it was seen), `before` every statement to the names bound where
    it starts, and `after` holds the names that are bound at the end.
    """

    kernel: Kernel
    table: ValueTable = field(default_factory=ValueTable)
    values: dict[ast.expr, Value] = field(default_factory=dict)
    before: dict[ast.stmt, Environment] = field(default_factory=dict)
    after: Environment = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    loads: dict[int, Effect] = field(default_factory=dict)
    """Load effects by their order, which is what a "load" value's attribute names."""
    bound_when: dict[Value, tuple[Value, bool, Value]] = field(default_factory=dict)
    """What is bound in one branch only: the condition, how it was answered, the value."""

    @cached_property
    def computed(self) -> tuple[Value, ...]:
        """Every value that the kernel computes, helpers included, each once."""
        return tuple(reachable(self._roots()))

    def _roots(self) -> Iterator[Value]:
        yield from self.values.values()
        for effect in self.effects:
            yield from (v for v in (effect.pointer, effect.mask, effect.other, effect.stored) if v)
        for loop in self.loops:
            yield from loop.bounds
            yield from loop.initial.values()
            yield from loop.following.values()

    def refined(self, environment: Environment, guards: Iterable[Guard]) -> Environment:
        """The names that are bound where these conditions hold.

        A name that is bound in one branch only has no value behind it, but where the same is
        asked again and answered alike it has that of the branch.
        """
        answers = {(guard.condition, guard.holds) for guard in guards}

        def meant(value: Value) -> Value:
            bound = self.bound_when.get(value)
            while bound is not None and bound[:2] in answers:
                value = bound[2]
                bound = self.bound_when.get(value)
            return value

        return {name: meant(value) for name, value in environment.items()}

    def origins(self, value: Value) -> frozenset[Value]:
        """The block pointers, as they were made, that a value may be; all else as it is.

        A block pointer moves, branches and loops choose one: `is_made` tells those that are known.
        """
        found, seen, todo = set(), set(), [value]
        while todo:
            part = todo.pop()
            if part in seen:
                continue
            seen.add(part)
            match part.op:
                case Op.BLOCK_POINTER if part.function == "advance":
                    todo.append(part.operand)
                case Op.PHI:
                    todo += [part.then, part.other]
                case Op.IN_BRANCH:
                    todo.append(part.operand)
                case Op.CARRIED | Op.RESULT:
                    bound = self._bound_by(self.loops[part.carrier.loop], part.carrier.name)
                    todo += bound or ()
                    found |= {part} if bound is None else set()
                case _:
                    found.add(part)
        return frozenset(found)

    def _bound_by(self, loop: Loop, name: str) -> list[Value] | None:
        """All that a name is bound to that a loop carries; None where that is not known."""
        initial, following = loop.initial[name], loop.following.get(name)
        if not loop.left_early and following is not None:
            return [initial, following]
        nodes = list(walk(loop.node))
        targets = [n for n in nodes if isinstance(n, ast.Name) and type(n.ctx) is ast.Store]
        bound = [self.values.get(n) for n in targets if n.id == name]
        statements = [n for n in nodes if isinstance(n, ast.stmt)]
        others = any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in statements)
        if None not in bound and not others and all(n in self.before for n in statements):
            return [initial, *(value for value in bound if value is not None)]
        return [initial] if following is None else None

    def variant_loops(self, value: Value, same: frozenset[int] = frozenset()) -> tuple[int, ...]:
        """The loops that a value may differ between iterations of, by identity.

        `same` are loads that are known to read the same element whenever they run.
        """
        found: set[int] = set()
        for part in value.walk():
            match part.op:
                case Op.ITERATION:
                    found.add(part.number)
                case Op.CARRIED | Op.RESULT:
                    nest = self.loops[part.carrier.loop].nest
                    found.update(a.identity for a in (nest if part.op is Op.CARRIED else nest[:-1]))
                case Op.LOAD if part.number not in same:
                    effect = self.loads[part.number]
                    found.update(around.identity for around in effect.loops)
                case Op.OPAQUE:
                    assert isinstance(part.attribute, tuple)
                    found.update(part.attribute[2])
        return tuple(sorted(found))
