"""Edits of expressions, some of them inside of others."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count

from tritonopt.checks.condition import refuted
from tritonopt.emit.writing import NotExpressible, comments_in, statements_around
from tritonopt.facts import KernelFacts
from tritonopt.facts.host.local_names import names_of
from tritonopt.source import Change, EditConflict, Module, Remove, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.editing.expressions import ATOMIC
from tritonopt.source.editing.expressions import in_parentheses as in_parentheses
from tritonopt.source.editing.keyword_spacing import spaced_as_in
from tritonopt.source.editing.width import call_on_lines
from tritonopt.source.lines import Lines
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import children, walk

_WORD = re.compile(r"\w+")
_TIGHT = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Attribute, ast.Subscript)
"""Where an expression of several parts needs parentheses."""


@dataclass
class CodeEdits:
    """What becomes of the expressions of one function, by the nodes that they are."""

    module: Module
    instead: dict[ast.expr, str] = field(default_factory=dict)
    """Code in the place of an expression."""
    behind: dict[ast.expr, str] = field(default_factory=dict)
    """What an expression is indexed with: `[:, None]`."""
    before: dict[ast.expr, str] = field(default_factory=dict)
    """What it is joined to by `&`."""
    added: dict[ast.Call, list[str]] = field(default_factory=dict)
    """Further arguments of a call."""

    def __bool__(self) -> bool:
        return bool(self.instead or self.behind or self.before or self.added)

    def changes(self, root: ast.AST) -> Iterator[ReplaceExpression]:
        """Those of everything inside of a node. Raises NotExpressible."""
        for node in self._outermost(root):
            yield ReplaceExpression(node, self.code(node))

    def code(self, node: ast.expr) -> str:
        """The code of an expression once it and all inside it is edited. Raises NotExpressible."""
        text = self.instead.get(node)
        if text is None:
            inner = {
                part: self._fitting(part)
                for child in children(node)
                for part in self._outermost(child)
            }
            text = self.module.text_with(node, inner)
        if isinstance(node, ast.Call):
            for argument in self.added.get(node, ()):
                text = _with_argument(text, spaced_as_in(self.module, node, argument))
        if node in self.behind:
            text = in_parentheses(text) + self.behind[node]
        if node in self.before:
            joined = text if _is_conjunction(text) else in_parentheses(text)
            text = f"{self.before[node]} & {joined}"
        return text

    def break_long_lines(self, root: ast.AST, width: int) -> None:
        """Writes the longest call of each statement that gets too long on several lines.

        One over several lines, or with several statements on its line, stays as it is laid out, but
        for arguments on a line of their own that gets too long: each then has its own.
        """
        for statement in (node for node in walk(root) if isinstance(node, ast.stmt)):
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
                self._break_arguments(statement, width)
            edited = list(self._outermost(statement))
            is_line = statement.lineno == statement.end_lineno
            if not (edited and is_line and self.module.has_own_lines(statement)):
                continue
            line = self.module.lines.texts[statement.lineno - 1].rstrip()
            longer = (len(self.code(node)) - len(self.module.text_of(node)) for node in edited)
            calls = list(_outermost_calls(statement))
            if calls and len(line) + sum(longer) > width:
                longest = max(calls, key=lambda call: len(self.code(call)))
                margin = line[: len(line) - len(line.lstrip())]
                self.instead[longest] = self._broken(longest, margin, width)

    def _break_arguments(self, statement: ast.stmt, width: int) -> None:
        for call in _outermost_calls(statement):
            first, last = call.lineno, call.end_lineno
            opening, line, closing = (self.module.lines.texts[first - 1 : last] + [""] * 3)[:3]
            alone = opening.rstrip().endswith("(") and closing.lstrip().startswith(")")
            if last != first + 2 or not alone or "#" in line or len(line.rstrip()) > width:
                continue
            edited = self._outermost(call)
            longer = (len(self.code(node)) - len(self.module.text_of(node)) for node in edited)
            if len(line.rstrip()) + sum(longer) > width:
                margin = opening[: len(opening) - len(opening.lstrip())]
                self.instead[call] = self._broken(call, margin, width)

    def _broken(self, call: ast.Call, margin: str, width: int) -> str:
        """A call with its arguments on a line of their own, or where that is too long, on many."""
        texts = [*map(self.code, call.args)]
        named = [f"{keyword.arg}={self.code(keyword.value)}" for keyword in call.keywords]
        named += self.added.pop(call, ())
        texts += [spaced_as_in(self.module, call, keyword) for keyword in named]
        return call_on_lines(self.code(call.func), texts, width + 1, margin)

    def _outermost(self, root: ast.AST) -> Iterator[ast.expr]:
        edited = (self.instead, self.behind, self.before, self.added)
        if isinstance(root, ast.expr) and any(root in edits for edits in edited):
            yield root
            return
        if isinstance(root, ast.JoinedStr):
            for node in walk(root):
                if any(node in edits for edits in edited):
                    raise NotExpressible(f"a string in line {root.lineno} holds what changes")
        for child in children(root):
            yield from self._outermost(child)

    def _fitting(self, node: ast.expr) -> str:
        text = self.code(node)
        around = self.module.names.parents.get(node)
        falls_apart = isinstance(around, _TIGHT) and isinstance(node, ATOMIC)
        return in_parentheses(text) if falls_apart else text


def _parsed(text: str) -> ast.expr:
    return parsed(f"({text}\n)", mode="eval").body


def new_function_name(module: Module, wanted: str) -> str:
    """A name for a new function of the file's own block that stands nowhere in the file."""
    taken = {word for text in module.texts for word in _WORD.findall(text)}
    numbered = (f"{wanted}_{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def _outermost_calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls in no other one's arguments; of `tl.load(...).to(dtype)` the first."""
    if isinstance(node, ast.Call):
        inner = list(_outermost_calls(node.func))
        yield from inner or [node]
        return
    for child in children(node):
        yield from _outermost_calls(child)


def _is_conjunction(text: str) -> bool:
    node = _parsed(text)
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd)


def _with_argument(call: str, argument: str) -> str:
    """The code of a call with one more argument. Raises NotExpressible."""
    end = Lines(f"({call}\n)").span(_parsed(call))[1] - 2
    inside = call[:end].rstrip()
    gap, end_of_call = call[len(inside) : end], call[end:]
    if comments_in(call) and "#" in inside.rpartition("\n")[2]:
        raise NotExpressible(f"a comment is where {argument} would")
    if inside.endswith(","):
        return f"{inside} {argument},{gap}{end_of_call}"
    return f"{inside}, {argument}{gap}{end_of_call}"


def arguments_code(module: Module, call: ast.Call) -> str:
    """The code of what a call passes, on one line."""
    given = [excerpts.one_line(module, argument) for argument in call.args]
    named = [(k.arg, excerpts.one_line(module, k.value)) for k in call.keywords]
    return ", ".join([*given, *(f"{name}={code}" if name else f"**{code}" for name, code in named)])


def keeping_comments(module: Module, changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes. Raises Declined where a comment would be lost by them."""
    try:
        found = tuple(changes)
        excerpts.check_comments(module, found)
    except EditConflict as conflict:
        raise refuted("nothing-else-is-lost", "comment-inside", str(conflict)) from None
    return found


# The lists of statements that a statement stands in, and which statement of them is first


class StatementLists:
    """Of one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self.facts = facts

    def chain(self, statement: ast.stmt) -> list[tuple[list[ast.stmt], ast.stmt]]:
        """The lists that a statement stands in, each with its member around it; innermost first."""
        return [(block, one) for one, block, _ in statements_around(self.facts, statement)]

    def around(self, statement: ast.stmt) -> list[ast.stmt]:
        """The innermost one."""
        return self.chain(statement)[0][0]

    def common(self, one: ast.stmt, other: ast.stmt) -> ast.stmt:
        """The earlier of the statements around two, in the innermost list that holds both."""
        outer = {id(statements): around for statements, around in self.chain(other)}
        for statements, around in self.chain(one):
            if id(statements) in outer:
                return min(around, outer[id(statements)], key=statements.index)
        raise ValueError("the statements are of two functions")

    def is_guarded(self, statement: ast.stmt, below: ast.stmt | None = None) -> bool:
        """Whether an `if` stands around a statement; of those inside the list of `below` only."""
        chain = self.chain(statement)
        if below is not None:
            outermost = self.around(below)
            depth = next(i for i, (statements, _) in enumerate(chain) if statements is outermost)
            chain = chain[: depth + 1]
        return any(isinstance(around, ast.If) for _, around in chain[1:])


# What a kernel has no use for any more once its accesses are others


def comments_on(facts: KernelFacts, statement: ast.stmt) -> str:
    """What explains a statement, above it and on its last line; empty where nothing does."""
    module = facts.kernel.module
    end = module.lines.span(statement)[1]
    text = module.text[end:].partition("\n")[0].strip()
    return "\n".join([*said_of(module, statement), *([text] if text.startswith("#") else [])])


def unused_names(
    facts: KernelFacts,
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
    while (statement := _unused(facts, lost, replaced, words)) is not None:
        lost.update(walk(statement))
        yield Remove(statement)


def _unused(
    facts: KernelFacts,
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
        others = (s for s in names_of(facts.kernel.node).home[statement][1] if s is not statement)
        stays = any(s not in gone or s in replaced for s in others)
        if stays and "#" not in _lines_of(facts, statement):
            return statement
    return None


def _lines_of(facts: KernelFacts, statement: ast.stmt) -> str:
    """The text of a statement and what stands behind it."""
    module = facts.kernel.module
    start, end = module.lines.span(statement)
    return module.text[start:end] + module.text[end:].partition("\n")[0]
