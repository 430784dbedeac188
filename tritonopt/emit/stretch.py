"""A stretch of statements that is rewritten step by step, each step on the facts of the last."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tritonopt.emit.writing import NotExpressible, names_bound, reads_of
from tritonopt.facts import KernelFacts
from tritonopt.facts.interpretation import Environment
from tritonopt.source import Change, Remove
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
    headings: frozenset[str] = frozenset()
    """Comments on what is spread over several statements now: they do not go with one of these."""
    gone: frozenset[str] = frozenset()
    """Comments on statements that are removed."""

    @classmethod
    def of(cls, facts: KernelFacts, statement: ast.stmt) -> Stretch:
        """One statement."""
        for owner in facts.kernel.nodes:
            for name, block in ast.iter_fields(owner):
                if isinstance(owner, ast.stmt) and isinstance(block, list) and statement in block:
                    place = block.index(statement)
                    return cls(facts, owner, name, place, len(block) - place - 1)
        raise NotExpressible(f"line {statement.lineno} is in no block of the kernel")

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
        removed = [change for change in changes if isinstance(change, Remove)]
        gone = {text for one in removed for text in excerpts.said_of(kernel.module, one.anchor)}
        changes = [
            replace(change, headings=self.headings) if isinstance(change, Remove) else change
            for change in changes
        ]
        module, (node, owner) = excerpts.after(kernel.module, changes, [kernel.node, self.owner])
        facts = self.facts.after(next(k for k in module.kernels if k.node is node))
        assert isinstance(owner, ast.stmt)
        return replace(self, facts=facts, owner=owner, gone=self.gone | gone)

    def is_read_behind(self, name: str) -> bool:
        """Whether a name may be read after the stretch: below it, or in the next turn of a loop."""
        for statement in self.block[len(self.block) - self.behind :]:
            if reads_of(statement, name) and not binds_first(statement, name):
                return True
            if name in surely_bound(statement):
                return False
        if self.owner is self.facts.kernel.node or self._is_of_an_iteration(name):
            return False
        last = self.statements[-1].end_lineno or 0
        reads = (n for n in reads_of(self.facts.kernel.node, name) if n not in self.nodes)
        if any(n.lineno > last for n in reads):
            return True
        around = [loop for loop in self.facts.loops if self.statements[0] in set(walk(loop.node))]
        return any(name in loop.carried for loop in around if not loop.inlined)

    def _is_of_an_iteration(self, name: str) -> bool:
        """Whether the stretch is in a loop, and a name is seen in one iteration of it only."""
        if not isinstance(self.owner, ast.For):
            return False
        loop = self.facts.loop_of(self.owner)
        carried = loop is None or name in loop.carried
        return not carried and name not in self.facts.before[self.owner]


def binds_first(statement: ast.stmt, name: str) -> bool:
    """Whether a loop or a branch binds a name before it reads it, as far as its text shows."""
    if not isinstance(statement, (ast.For, ast.If, ast.While)):
        return False
    header = statement.iter if isinstance(statement, ast.For) else statement.test
    if reads_of(header, name):
        return False
    if isinstance(statement, ast.For) and name in names_bound(statement.target):
        return True
    for block in (statement.body, statement.orelse):
        for inner in block:
            if reads_of(inner, name) and not binds_first(inner, name):
                return False
            if name in surely_bound(inner):
                break
    return True


def surely_bound(statement: ast.stmt) -> set[str]:
    """The names that a statement binds whatever happens."""
    match statement:
        case ast.Assign() | ast.AnnAssign():
            return names_bound(statement)
        case ast.If(body=body, orelse=orelse):
            branches = [{n for s in block for n in surely_bound(s)} for block in (body, orelse)]
            return branches[0] & branches[1]
    return set()
