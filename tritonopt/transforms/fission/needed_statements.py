"""Which statements of a kernel some of its writes need."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Set

from tritonopt.facts import KernelFacts
from tritonopt.source.trees import blocks_of, is_text, walk
from tritonopt.transforms.writing import NotExpressible, names_bound, names_read


def needed_statements(facts: KernelFacts, writes: Set[ast.AST]) -> frozenset[ast.stmt]:
    """The statements that hold the writes, and all that bind a name that these may read.

    A name that is bound in several places is needed in all of them. Raises NotExpressible where a
    block would lose all that it has, and the statement around it stays.
    """
    body = facts.kernel.node.body
    found = {s for s in _all(body) if not list(blocks_of(s)) and not writes.isdisjoint(walk(s))}
    while True:
        names = set().union(*(_read(s, found) for s in _all(body) if _is_kept(s, found)))
        more = {
            s
            for s in _all(body)
            if s not in found and not list(blocks_of(s)) and _is_for(facts, s, names)
        }
        if not more:
            break
        found |= more
    kept = {s for s in _all(body) if _is_kept(s, found)}
    for statement in kept:
        for block in blocks_of(statement):
            if block and not any(s in kept for s in block):
                text = f"a branch of line {statement.lineno} would have nothing to do"
                raise NotExpressible(text)
    return frozenset(kept)


def _all(block: Collection[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        yield statement
        for inner in blocks_of(statement):
            yield from _all(inner)


def _is_kept(statement: ast.stmt, found: Collection[ast.stmt]) -> bool:
    """Whether a statement, or one inside of it, is needed."""
    return any(inner in found for inner in _all([statement]))


def _is_for(facts: KernelFacts, statement: ast.stmt, names: Collection[str]) -> bool:
    """Whether a statement binds one of the names; or does what nobody sees the use of."""
    if not names_bound(statement).isdisjoint(names):
        return True
    match statement:
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
            return False
        case ast.Expr():
            return not (is_text(statement) or not facts.effect_nodes.isdisjoint(walk(statement)))
    return True


def _read(statement: ast.stmt, found: Collection[ast.stmt]) -> set[str]:
    """The names that a kept statement reads, but for what is inside of it."""
    match statement:
        case ast.For(target=target, iter=header):
            return names_read(header) | names_bound(target)
        case ast.If(test=test):
            return names_read(test)
    return names_read(statement) if statement in found else set()
