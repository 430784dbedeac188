"""The lists of statements that a statement stands in, and which statement of them is first."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from tritonopt.facts import KernelFacts
from tritonopt.source import Remove
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

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


# What a kernel has no use for any more once its accesses are others


def comments_on(facts: KernelFacts, statement: ast.stmt) -> str:
    """What explains a statement, above it and on its last line; empty where nothing does."""
    module = facts.kernel.module
    end = module.lines.span(statement)[1]
    text = module.text[end:].partition("\n")[0].strip()
    return "\n".join([*said_of(module, statement), *([text] if text.startswith("#") else [])])


def unused_names(
    facts: KernelFacts,
    lists: StatementLists,
    gone: Iterable[ast.AST],
    replaced: Collection[ast.stmt],
    new: Iterable[str],
) -> Iterator[Remove]:
    """Assignments to names that were read by what goes alone.

    `gone` is what the kernel's own text loses, `replaced` the statements among it that have
    others in their place, and `new` the code that it gets.
    """
    lost = set(gone)
    words = {n.id for code in new for n in ast.walk(parsed(code)) if isinstance(n, ast.Name)}
    while (statement := _unused(facts, lists, lost, replaced, words)) is not None:
        lost.update(walk(statement))
        yield Remove(statement)


def _unused(
    facts: KernelFacts,
    lists: StatementLists,
    gone: set[ast.AST],
    replaced: Collection[ast.stmt],
    words: set[str],
) -> ast.stmt | None:
    lost = {n.id for n in gone if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    names = [n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n not in gone]
    for statement in facts.kernel.nodes:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr())
            ) if name in lost - words:
                pass
            case _:
                continue
        inside = set(walk(statement))
        if statement in gone or not facts.effect_nodes.isdisjoint(inside):
            continue
        if any(n.id == name and n not in inside for n in names):
            continue
        others = (s for s in lists.around(statement) if s is not statement)
        stays = any(s not in gone or s in replaced for s in others)
        if stays and "#" not in _lines_of(facts, statement):
            return statement
    return None


def _lines_of(facts: KernelFacts, statement: ast.stmt) -> str:
    """The text of a statement and what stands behind it."""
    module = facts.kernel.module
    start, end = module.lines.span(statement)
    return module.text[start:end] + module.text[end:].partition("\n")[0]
