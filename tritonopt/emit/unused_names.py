"""What a kernel has no use for any more once its accesses are others."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from tritonopt.emit.statement_lists import StatementLists
from tritonopt.facts import KernelFacts
from tritonopt.source import Remove
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk


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
