"""A stretch of statements that is rewritten step by step, each step on the facts of the last."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.facts.interpretation import Environment
from tritonopt.source import Change
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Stretch:
    """Some statements of a block, told by how many stand before and behind them."""

    facts: KernelFacts
    owner: ast.stmt
    field: str
    before: int
    behind: int

    @property
    def block(self) -> list[ast.stmt]:
        found = getattr(self.owner, self.field)
        assert isinstance(found, list)
        return found

    @cached_property
    def statements(self) -> list[ast.stmt]:
        return self.block[self.before : len(self.block) - self.behind]

    @cached_property
    def nodes(self) -> frozenset[ast.AST]:
        return frozenset(node for statement in self.statements for node in walk(statement))

    def names_at(self, place: int) -> Environment:
        """The names that are bound where a statement of the block starts, or at its end."""
        if place < len(self.block):
            return self.facts.before[self.block[place]]
        is_last = self.owner is self.facts.kernel.node
        return self.facts.interpretation.after if is_last else {}

    @property
    def code(self) -> str:
        """With the comments above and below it."""
        return excerpts.block_code(self.facts.kernel.module, self.statements)

    def after(self, changes: Sequence[Change]) -> Stretch:
        """The stretch after changes to nothing but its statements. Raises EditConflict."""
        kernel = self.facts.kernel
        module, (node, owner) = excerpts.after(kernel.module, changes, [kernel.node, self.owner])
        facts = self.facts.after(next(k for k in module.kernels if k.node is node))
        assert isinstance(owner, ast.stmt)
        return Stretch(facts, owner, self.field, self.before, self.behind)

    def is_read_behind(self, name: str) -> bool:
        """Whether a name may be read after the stretch: below it, or in the next turn of a loop."""
        reads = [
            n
            for n in self.facts.kernel.nodes
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        ]
        outside = [n for n in reads if n not in self.nodes]
        last = self.statements[-1].end_lineno or 0
        if any(n.lineno > last for n in outside):
            return True
        around = [loop for loop in self.facts.loops if self.statements[0] in set(walk(loop.node))]
        return any(name in loop.carried for loop in around if not loop.inlined)
