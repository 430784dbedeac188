"""How a tile leaves before its end: `if ...: return`, with or without something done first.

Triton compiles no `return` in a loop, and has no `continue`. So what comes after such a branch
becomes its `else`, or goes under the opposite condition. Triton asks for one type of a name that
is bound before an `if` and again in it, and of one that both branches bind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeGuard

from tritonopt.facts import KernelFacts
from tritonopt.rewriting.constexprs import is_constexpr


@dataclass(frozen=True)
class Exit:
    """A branch of a tile's own block that ends in a `return`."""

    statement: ast.If
    """The statement of the block that it is, or that ends with it."""
    branch: ast.If

    @property
    def test(self) -> ast.expr:
        """What it is left for."""
        return self.branch.test

    @property
    def end(self) -> ast.Return:
        last = self.branch.body[-1]
        assert isinstance(last, ast.Return)
        return last

    @property
    def done(self) -> list[ast.stmt]:
        """What is done before it is left."""
        return self.branch.body[:-1]

    @property
    def is_switched(self) -> bool:
        """Whether the branch is the last thing under a condition that the compiler decides."""
        return self.statement is not self.branch

    @property
    def is_guard(self) -> bool:
        """Whether it is `if ...: return`, and nothing else."""
        return not self.is_switched and not self.done


def exits_of(facts: KernelFacts, statements: Iterable[ast.stmt]) -> list[Exit]:
    """Those that statements of one block are."""
    found = []
    for statement in statements:
        if _leaves(statement):
            found.append(Exit(statement, statement))
        elif isinstance(statement, ast.If) and not statement.orelse:
            last = statement.body[-1]
            if _leaves(last) and _is_decided(facts, statement.test):
                found.append(Exit(statement, last))
    return found


def is_plain(end: ast.Return) -> bool:
    """Whether it is `return`, or `return None`."""
    return end.value is None or (isinstance(end.value, ast.Constant) and end.value.value is None)


def _leaves(statement: ast.stmt) -> TypeGuard[ast.If]:
    match statement:
        case ast.If(body=[*_, ast.Return() as end], orelse=[]):
            return is_plain(end)
    return False


def _is_decided(facts: KernelFacts, test: ast.expr) -> bool:
    """Whether the compiler knows a condition, and leaves out what it is false for."""
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()], comparators=[right]):
            # Of whatever the name is bound to.
            return isinstance(right, ast.Constant) and right.value is None
    return is_constexpr(facts, test)
