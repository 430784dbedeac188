"""Statements of a kernel's body that do the same whatever the program id is.

They can stand before a loop over tiles, and then run once. A statement is one
of them when nothing in it, and nothing that it reads, depends on the tile, when
it does nothing but bind names and load, and when no store of the kernel may
change what it loads.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.source.trees import walk


def invariant_statements(
    facts: KernelFacts, body: Sequence[ast.stmt], varies: Callable[[ast.AST], bool]
) -> list[ast.stmt]:
    """Those of `body`, a block of the kernel that always runs, that may be moved before the rest.

    `varies` says of a node whether it is itself a source of what depends on the tile.
    """
    chosen = [
        statement
        for statement in body
        if _only_binds(statement)
        and not any(varies(node) for node in walk(statement))
        and _may_run_early(facts, statement)
    ]
    if not chosen:
        return []
    kernel_names = frozenset(facts.kernel.module.names.scopes[facts.kernel.node].bindings)
    uses = {statement: _Uses.of(statement, kernel_names) for statement in body}
    kept = _keeping_their_names(set(chosen), uses)
    return [statement for statement in chosen if statement in kept]


def _only_binds(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[target]):
            return _is_name(target)
        case ast.AnnAssign(target=ast.Name(), value=ast.expr()) | ast.AugAssign(target=ast.Name()):
            return True
        case ast.If(body=then, orelse=other):
            return all(_only_binds(inner) for inner in (*then, *other))
    return False


def _is_name(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_is_name(element) for element in target.elts)
    return isinstance(target, ast.Name)


def _may_run_early(facts: KernelFacts, statement: ast.stmt) -> bool:
    """Whether what stands before the statement in the kernel may come after it."""
    inside = set(walk(statement))
    effects = [effect for effect in facts.effects if effect.node in inside]
    for effect in effects:
        if effect.kind is not EffectKind.LOAD or effect.volatile:
            return False
        if any(other.writes and facts.may_alias(effect, other) for other in facts.effects):
            return False
        if any(e.kind is EffectKind.BARRIER and e.order < effect.order for e in facts.effects):
            return False
    leaves = any(
        effect.kind is EffectKind.EXIT and not effect.inlined and effect.line < statement.lineno
        for effect in facts.effects
    )
    # A program that has left does not load, nor divide by a number that it left for.
    expressions = [node for node in inside if isinstance(node, ast.expr)]
    values = [facts.values[node] for node in expressions if node in facts.values]
    divides = any(
        part.op in (Op.FLOORDIV, Op.MOD, Op.CDIV) for value in values for part in value.walk()
    )
    return not leaves or not (effects or divides)


@dataclass(frozen=True)
class _Uses:
    """Which names of the kernel a statement mentions, and which of these it binds."""

    mentioned: frozenset[str]
    bound: frozenset[str]

    @classmethod
    def of(cls, statement: ast.stmt, kernel_names: frozenset[str]) -> _Uses:
        names = [n for n in walk(statement) if isinstance(n, ast.Name) and n.id in kernel_names]
        bound = (name.id for name in names if not isinstance(name.ctx, ast.Load))
        return cls(frozenset(name.id for name in names), frozenset(bound))


def _keeping_their_names(
    chosen: set[ast.stmt], uses: Mapping[ast.stmt, _Uses]
) -> Collection[ast.stmt]:
    """The most of `chosen` whose names mean the same when all of these run first.

    What stays where it is keeps others from moving: all that mention a name which it binds, and
    where it reads a name before the last binding of it, all that bind that name.
    """
    last: dict[str, int] = {}
    binding: dict[str, list[ast.stmt]] = {}
    mentioning: dict[str, list[ast.stmt]] = {}
    for place, (statement, names) in enumerate(uses.items()):
        for name in names.bound:
            last[name] = place
            binding.setdefault(name, []).append(statement)
        for name in names.mentioned:
            mentioning.setdefault(name, []).append(statement)
    places = {statement: place for place, statement in enumerate(uses)}
    staying = [statement for statement in uses if statement not in chosen]
    while staying:
        statement = staying.pop()
        for name in uses[statement].mentioned:
            if name in uses[statement].bound:
                goes = mentioning.pop(name, [])
            elif places[statement] < last.get(name, 0):
                goes = binding.pop(name, [])
            else:
                continue
            staying += [other for other in goes if other in chosen]
            chosen.difference_update(goes)
    return chosen
