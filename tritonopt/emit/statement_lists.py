"""The lists of statements that a statement stands in, and which statement of them is first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

Chain: TypeAlias = tuple[tuple[list[ast.stmt], ast.stmt], ...]
"""The lists that a statement stands in, each with its member around it; innermost first."""


class StatementLists:
    """Of one function."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._chains = dict(_chains(function.body, ()))

    def chain(self, statement: ast.stmt) -> Chain:
        return self._chains[statement]

    def around(self, statement: ast.stmt) -> list[ast.stmt]:
        """The innermost one."""
        return self._chains[statement][0][0]

    def common(self, one: ast.stmt, other: ast.stmt) -> ast.stmt:
        """The earlier of the statements around two, in the innermost list that holds both."""
        outer = {id(statements): around for statements, around in self._chains[other]}
        for statements, around in self._chains[one]:
            if id(statements) in outer:
                return min(around, outer[id(statements)], key=statements.index)
        raise ValueError("the statements are of two functions")

    def is_guarded(self, statement: ast.stmt, below: ast.stmt | None = None) -> bool:
        """Whether an `if` stands around a statement; of those inside the list of `below` only."""
        chain = self._chains[statement]
        if below is not None:
            outermost = self.around(below)
            depth = next(i for i, (statements, _) in enumerate(chain) if statements is outermost)
            chain = chain[: depth + 1]
        return any(isinstance(around, ast.If) for _, around in chain[1:])


def _chains(statements: list[ast.stmt], around: Chain) -> Iterator[tuple[ast.stmt, Chain]]:
    for statement in statements:
        chain = ((statements, statement), *around)
        yield statement, chain
        for field_name in ("body", "orelse"):
            yield from _chains(getattr(statement, field_name, []), chain)
