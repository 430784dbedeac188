"""Writing a loop over tiles: what comes after a branch that leaves goes into another branch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts.values import is_integer
from tritonopt.passes.grid_stride.tile_body import Exit, TileBody
from tritonopt.source import (
    Change,
    Enclose,
    InsertBefore,
    Module,
    Remove,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.editing.changes import ELSE
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.trees import walk

_NEGATIONS = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "=="}
_TIGHT = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
"""What needs no parentheses beside a comparison."""


@dataclass(frozen=True)
class WrittenBranches:
    """What is left of a tile after each exit."""

    changes: tuple[Change, ...]
    begins: tuple[tuple[str, ...], ...]
    """What the tile begins with, and what the rest after each exit begins with."""
    gone: frozenset[ast.AST]
    """What is written anew, or not at all."""


@dataclass(frozen=True)
class _Left:
    """How the code leaves a tile at an exit."""

    head: str
    """Of the branch for the rest."""
    change: Change
    more: tuple[Change, ...] = ()
    gone: ast.AST | None = None
    flag: str = ""
    """A name that tells the rest whether the tile was left, and must be bound before."""


def written_branches(
    body: TileBody,
    writer: Writer,
    text: Callable[[ast.expr], str],
    copies: Sequence[tuple[str, ...]],
) -> WrittenBranches:
    """The edits of all exits. Raises NotExpressible.

    `text` gives an expression as it will be, in parentheses where it takes several lines;
    `copies` is what the tile and the rest after each exit begin with besides.
    """
    return _Branches(body, writer, text).written(copies)


@dataclass(frozen=True)
class _Branches:
    _body: TileBody
    _writer: Writer
    _text: Callable[[ast.expr], str]

    @property
    def _module(self) -> Module:
        return self._body.kernel.module

    def written(self, copies: Sequence[tuple[str, ...]]) -> WrittenBranches:
        # A rest begins with the flags of the exits in it, so all exits come before all rests.
        found = [(leaving, self._left(leaving)) for leaving in self._body.exits]
        begins = list(copies)
        for place, (_, left) in enumerate(found):
            if left.flag:
                begins[place] = (*begins[place], f"{left.flag} = False")
        changes: list[Change] = []
        for place, (leaving, left) in enumerate(found):
            changes += [left.change, *left.more]
            rest = self._rest(leaving)
            if rest:
                inside = "".join(f"    {line}\n" for line in begins[place + 1])
                changes.append(Enclose(rest[0], rest[-1], f"{left.head}\n{inside}    ..."))
        gone = frozenset(left.gone for _, left in found if left.gone is not None)
        return WrittenBranches(tuple(changes), tuple(begins), gone)

    def _rest(self, found: Exit) -> Sequence[ast.stmt]:
        looped = self._body.looped
        return looped[looped.index(found.statement) + 1 :]

    def _left(self, found: Exit) -> _Left:
        rest = self._rest(found)
        if found.is_switched:
            return self._switched(found, rest)
        if found.done:
            return _Left(ELSE, self._without(found.end))
        return self._guard(found, rest)

    def _guard(self, found: Exit, rest: Sequence[ast.stmt]) -> _Left:
        remove = Remove(found.statement)
        if not rest:
            self._refuse_effects(found)
            return _Left("", remove, gone=found.statement)
        said = said_of(self._module, found.statement) + self._comments(found.statement)
        comments = "".join(f"{comment}\n" for comment in said)
        return _Left(f"{comments}if {self._negated(found.test)}:", remove, gone=found.statement)

    def _switched(self, found: Exit, rest: Sequence[ast.stmt]) -> _Left:
        """A name tells the rest whether the tile was left, below a condition of the compiler's."""
        if not rest and found.done:
            return _Left("", self._without(found.end))
        if not self._is_truth(found.test):
            raise NotExpressible(f"the condition in line {found.test.lineno} may be a number")
        flag = self._writer.fresh("is_done")
        head, test = f"if not {flag}:", f"{flag} = {self._text(found.test)}"
        if found.done:
            more = (ReplaceExpression(found.test, flag), self._without(found.end))
            return _Left(head, InsertBefore(found.branch, test), more, found.test, flag)
        comments = "".join(f"{comment}\n" for comment in self._comments(found.branch))
        change = Replace(found.branch, f"{comments}{test}")
        return _Left(head, change, gone=found.branch, flag=flag)

    def _without(self, end: ast.Return) -> Change:
        """A comment behind a `return` stays."""
        return Replace(end, "pass") if self._comments(end) else Remove(end)

    def _comments(self, statement: ast.stmt) -> list[str]:
        return self._module.comments(statement.lineno, (statement.end_lineno or 0) + 1)

    def _refuse_effects(self, found: Exit) -> None:
        if any(effect.node in set(walk(found.test)) for effect in self._body.facts.effects):
            raise NotExpressible(f"the condition in line {found.test.lineno} does something")

    def _negated(self, test: ast.expr) -> str:
        values, forms = self._body.facts.values, self._body.facts.forms
        match test:
            case ast.Compare(left=ast.Name() as left, ops=[ast.Is()], comparators=[right]):
                return f"{self._text(left)} is not {self._text(right)}"
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _NEGATIONS:
                # Of numbers that may be NaN, neither `a < b` nor `a >= b` holds.
                sides = [values[left], values[right]]
                whole = all(is_integer(v.dtype) or v.dtype in ("int", "bool") for v in sides)
                whole = whole or forms.is_integer(forms.of(sides[0]) - forms.of(sides[1]))
                if isinstance(left, _TIGHT) and isinstance(right, _TIGHT) and whole:
                    return f"{self._text(left)} {_NEGATIONS[type(op)]} {self._text(right)}"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._text(operand)
        if self._is_truth(test):
            text = self._text(test)
            is_whole = isinstance(test, _TIGHT) or "\n" in text
            return f"not {text}" if is_whole else f"not ({text})"
        if isinstance(test, _TIGHT) and is_integer(values[test].dtype):
            return f"{self._text(test)} == 0"
        raise NotExpressible(f"the condition in line {test.lineno} may be a number, or None")

    def _is_truth(self, test: ast.expr) -> bool:
        """Whether it is true or false, and no number: Triton has no `not` of numbers."""
        match test:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.BoolOp(values=values):
                return all(map(self._is_truth, values))
            case ast.Name(id=name) if any(
                p.constexpr for p in self._body.kernel.parameters if p.name == name
            ):
                return True
        return self._body.facts.values[test].dtype == "bool"
