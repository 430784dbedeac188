"""Code that moves out of a loop together with conditions that the compiler knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tritonopt.emit.writing import block_of, is_elif
from tritonopt.facts import KernelFacts, Loop
from tritonopt.facts.effects import Guard
from tritonopt.source import Change, InsertAfter, InsertBefore, Module, Remove, Replace
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.edits import indent_unit
from tritonopt.source.trees import parents_of, walk


@dataclass(frozen=True)
class Piece:
    """Code that goes above a loop, and the conditions that it stands under."""

    code: str
    guards: tuple[Guard, ...]


def insertion(
    facts: KernelFacts, loop: Loop, known: Sequence[Guard], code: Sequence[Piece]
) -> Change:
    """Above the loop; where the `if` right there asks the same as all of it, at its end."""
    block = block_of(facts.kernel.node, loop.node)
    place = block.index(loop.node)
    before = block[place - 1] if place else None
    if isinstance(before, ast.If) and not before.orelse and known:
        first = known[0]
        asked = facts.values.get(before.test) is first.condition and first.holds
        if asked and all(piece.guards[:1] == (first,) for piece in code):
            inner = [replace(piece, guards=piece.guards[1:]) for piece in code]
            return InsertAfter(before.body[-1], _nested(facts, inner))
    return InsertBefore(loop.node, _nested(facts, code))


def _nested(facts: KernelFacts, code: Sequence[Piece]) -> str:
    """The pieces under the conditions that they stood under, each asked once in a row."""
    module = facts.kernel.module
    lines = []
    for first, group in groupby(code, key=lambda piece: piece.guards[:1]):
        pieces = list(group)
        if not first:
            lines += [piece.code for piece in pieces]
            continue
        inner = [replace(piece, guards=piece.guards[1:]) for piece in pieces]
        unit = indent_unit(module, facts.kernel.node)
        block = excerpts.indented(_nested(facts, inner), unit)
        lines.append(f"if {_asked(module, first[0])}:\n{block}")
    return "\n".join(lines)


def _asked(module: Module, guard: Guard) -> str:
    """A condition, or its contrary."""
    test = guard.node.test
    if guard.holds:
        return excerpts.one_line(module, test)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return excerpts.one_line(module, operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            contrary = _CONTRARIES.get(type(operator))
            if contrary is not None:
                ends = [excerpts.one_line(module, end) for end in (left, right)]
                return f" {contrary} ".join(ends)
    simple = isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Compare))
    text = excerpts.one_line(module, test)
    return f"not {text}" if simple else f"not ({text})"


_CONTRARIES: dict[type[ast.cmpop], str] = {
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Eq: "!=",
    ast.NotEq: "==",
}


def removals(facts: KernelFacts, loop: Loop, statements: Sequence[ast.stmt]) -> Iterator[Change]:
    """Takes statements out of a loop, with the branches that hold nothing else."""
    gone = set(statements)
    parents = parents_of(loop.node)
    for statement in statements:
        top: ast.stmt = statement
        while all(s in gone for s in block_of(loop.node, top)):
            outer = parents.get(top)
            if not isinstance(outer, ast.If) or outer.orelse or is_elif(facts, outer):
                break
            gone.add(outer)
            top = outer
    for node in walk(loop.node):
        if not isinstance(node, ast.stmt) or node not in gone or parents.get(node) in gone:
            continue
        block = block_of(loop.node, node)
        if block[0] is node and all(s in gone for s in block):
            # The other branch is still to be asked for.
            yield Replace(node, "pass")
        else:
            yield Remove(node, moved=True)
