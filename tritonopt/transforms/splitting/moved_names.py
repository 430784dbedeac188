"""Names that go along with a loop: pointers and offsets that each turn moves by the same step.

A program that has every so many turns moves them so many times as far, from its first turn on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.facts import KernelFacts, Loop
from tritonopt.facts.operations import Op
from tritonopt.source import Change, InsertBefore, ReplaceExpression
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import in_parentheses
from tritonopt.transforms.writing import Writer


@dataclass(frozen=True)
class MovedName:
    """A name that the last thing that each turn does with it moves on, by what stays the same."""

    name: str
    step: ast.expr

    def changes(self, facts: KernelFacts, loop: Loop, number: str, size: str) -> Iterator[Change]:
        """With the part of a program, and how many parts there are."""
        step = in_parentheses(facts.kernel.module.text_of(self.step))
        yield InsertBefore(loop.node, f"{self.name} += {number} * {step}")
        yield ReplaceExpression(self.step, f"{size} * {step}")


def moved_names(facts: KernelFacts, loop: Loop) -> tuple[MovedName, ...]:
    """All of a loop."""
    found = (_moved(facts, loop, name) for name in loop.carried)
    return tuple(moved for moved in found if moved is not None)


def _moved(facts: KernelFacts, loop: Loop, name: str) -> MovedName | None:
    uses = [n for n in walk(loop.node) if isinstance(n, ast.Name) and n.id == name]
    if not isinstance(loop.node, ast.For) or any(n in set(uses) for n in walk(loop.node.iter)):
        return None
    stores = [n for n in uses if isinstance(n.ctx, ast.Store)]
    update = next((s for s in loop.node.body if set(stores) == set(_targets(s))), None)
    match update:
        case ast.AugAssign(op=ast.Add(), value=step):
            own = set(stores)
        case ast.Assign(value=ast.BinOp(left=ast.Name(id=left) as read, op=ast.Add(), right=step)):
            if left != name:
                return None
            own = {*stores, read}
        case _:
            return None
    # A use behind the update would be moved too far.
    later = loop.node.body[loop.node.body.index(update) :]
    if any(n in set(uses) - own for statement in later for n in walk(statement)):
        return None
    end, carried = loop.following[name], loop.carried[name]
    if end.op is not Op.ADD or carried not in end.operands or end.left is end.right:
        return None
    moved_by = facts.values.get(step)
    if moved_by is None or loop.identity in facts.interpretation.variant_loops(moved_by):
        return None
    same = Writer(facts).means_the_same(step, facts.before[loop.node])
    return MovedName(name, step) if same and moved_by in end.operands else None


def _targets(statement: ast.stmt) -> Iterator[ast.expr]:
    """The names that a statement of the loop's own block binds, where it does nothing else."""
    match statement:
        case ast.AugAssign(target=ast.Name() as target):
            yield target
        case ast.Assign(targets=[ast.Name() as target]):
            yield target
