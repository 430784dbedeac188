"""Which loads read the same elements in every iteration of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.loop_invariants import is_invariant
from tritonopt.facts import EffectKind, KernelFacts, Loop
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect, Guard
from tritonopt.source.trees import walk

_NO_VALUE = (ast.Tuple, ast.List, ast.Starred, ast.NamedExpr)
"""What is no one value for a name, or binds a name where it stands."""


@dataclass(frozen=True, eq=False)
class InvariantLoad:
    """An expression with loads, and a loop in which it is always the same."""

    facts: KernelFacts
    loop: Loop
    expression: ast.expr

    @cached_property
    def loads(self) -> list[Effect]:
        inside = set(walk(self.expression))
        return [e for e in self.facts.effects if e.node in inside]

    @property
    def what(self) -> str:
        """What is loaded, for a message."""
        bases = sorted({b for e in self.loads for b in self.facts.bases(e) or ()})
        return f"the load of {' and '.join(bases)}" if bases else "the load"

    @property
    def where(self) -> str:
        """The loop, for a message."""
        return f"the loop in line {self.loop.line}"

    @property
    def tile(self) -> str:
        """How much stays in registers, for a message."""
        shape = self.facts.values[self.expression].shape
        if shape is None:
            return "its tile stays"
        if not shape:
            return "one element stays"
        extents = ", ".join(self.facts.forms.of(extent).readable for extent in shape)
        return f"a tile of [{extents}] stays"

    @cached_property
    def statement(self) -> ast.stmt:
        return self.facts.kernel.module.names.statement_of(self.expression)

    @property
    def effects(self) -> list[Effect]:
        """Those of the loop."""
        return [e for e in self.facts.effects if self.loop in e.loops]

    @property
    def loops(self) -> list[Loop]:
        """The loop, and those inside it around the load."""
        around = self.loads[0].loops
        return [loop for loop in around if self.loop in loop.nest and not loop.inlined]

    @cached_property
    def conditions_inside(self) -> list[Guard]:
        """What decides in an iteration whether it comes to the load, outermost first."""
        within, own = set(walk(self.loop.node)), set(walk(self.expression))
        guards = self.loads[0].guards
        return [g for g in guards if g.node in within and g.node not in own]

    @cached_property
    def known(self) -> tuple[Guard, ...]:
        """Those of them that the compiler knows."""
        guards = self.conditions_inside
        return tuple(g for g in guards if is_constexpr(self.facts, g.node.test))


def invariant_loads(facts: KernelFacts) -> Iterator[list[InvariantLoad]]:
    """Every load that reads the same elements in all iterations of a loop around it, with each
    such loop, the outermost first."""
    seen: set[tuple[ast.expr, int]] = set()
    for effect in facts.effects:
        node = effect.node
        loops = [loop for loop in effect.loops if not loop.inlined]
        if effect.kind is not EffectKind.LOAD or not isinstance(node, ast.Call):
            continue
        found = []
        for loop in loops:
            expression = _widest(facts, node, loop)
            if expression is not None and (expression, loop.identity) not in seen:
                seen.add((expression, loop.identity))
                found.append(InvariantLoad(facts, loop, expression))
        if found:
            yield found


def _widest(facts: KernelFacts, node: ast.expr, loop: Loop) -> ast.expr | None:
    """The largest expression around a load that is the same in every iteration of a loop."""
    found = None
    parents = facts.kernel.module.names.parents
    here: ast.AST | None = node
    while isinstance(here, (ast.expr, ast.keyword)) and not isinstance(here, _NO_VALUE):
        if isinstance(here, ast.expr) and here in facts.values:
            if not _is_invariant(facts, here, loop):
                break
            found = here
        here = parents.get(here)
    if isinstance(here, (ast.Expr, ast.NamedExpr)):
        return None  # nothing is made of it, or its name is bound in the middle of a statement
    return found


def _is_invariant(facts: KernelFacts, expression: ast.expr, loop: Loop) -> bool:
    inside = set(walk(expression))
    if any(isinstance(node, ast.NamedExpr) for node in inside):
        return False
    effects = [e for e in facts.effects if e.node in inside]
    own = frozenset(e.order for e in effects)
    values = [facts.values[n] for n in inside if isinstance(n, ast.expr) and n in facts.values]
    return all(e.kind is EffectKind.LOAD for e in effects) and all(
        is_invariant(facts, value, loop, own) for value in values
    )
