"""Writing a loop over tiles: what comes after a branch that leaves goes into another branch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tritonopt.facts.values import is_integer
from tritonopt.source import Change, Enclose, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.editing.changes import ELSE
from tritonopt.source.trees import walk
from tritonopt.transforms.tiling.tile_body import TileBody
from tritonopt.transforms.tiling.tile_exits import Exit, names_in_both
from tritonopt.transforms.writing import NotExpressible, Writer

_NEGATIONS = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "=="}
_TIGHT = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)
"""What needs no parentheses beside a comparison."""


class TileBranches:
    """What is left of a tile after each exit, and what each such rest begins with."""

    def __init__(self, body: TileBody, writer: Writer, text: Callable[[ast.expr], str]) -> None:
        """`text` gives an expression as it will be, in parentheses where it takes several lines."""
        self._body = body
        self._module = body.kernel.module
        self._writer = writer
        self._text = text
        self.begins: list[list[str]] = [[] for _ in range(len(body.exits) + 1)]
        """What the tile begins with, and what the rest after each exit begins with."""
        self.gone: set[ast.AST] = set()
        """What is written anew, or not at all."""

    @property
    def renamed(self) -> dict[ast.expr, str]:
        """New names in branches for what the rest binds too, of another type maybe."""
        found: dict[ast.expr, str] = {}
        for leaving in self._body.exits:
            for name in names_in_both(self._body, leaving):
                new = self._writer.fresh(name)
                nodes = (node for statement in leaving.done for node in walk(statement))
                for node in nodes:
                    if isinstance(node, ast.Name) and node.id == name:
                        found[node] = new
        return found

    def changes(self) -> list[Change]:
        """The edits; what is to begin the rests must be known before."""
        exits = self._body.exits
        # A rest begins with the flags of the exits in it, so all exits come before all rests.
        heads = [self._left(found) for found in exits]
        changes: list[Change] = []
        for place, (found, (head, leaving)) in enumerate(zip(exits, heads, strict=True)):
            changes += leaving
            rest = self._rest(found)
            if rest:
                inside = "".join(f"    {line}\n" for line in self.begins[place + 1])
                changes.append(Enclose(rest[0], rest[-1], f"{head}\n{inside}    ..."))
        return changes

    def _rest(self, found: Exit) -> Sequence[ast.stmt]:
        looped = self._body.looped
        return looped[looped.index(found.statement) + 1 :]

    def _left(self, found: Exit) -> tuple[str, list[Change]]:
        """The head of the branch for the rest after an exit, and the edits of the exit."""
        rest = self._rest(found)
        if found.is_switched:
            return self._switched(found, rest)
        if found.done:
            return ELSE, [self._without(found.end)]
        return self._guard(found, rest)

    def _guard(self, found: Exit, rest: Sequence[ast.stmt]) -> tuple[str, list[Change]]:
        self.gone.add(found.statement)
        if not rest:
            self._refuse_effects(found)
            return "", [Remove(found.statement)]
        comments = "".join(f"{comment}\n" for comment in self._comments(found.statement))
        return f"{comments}if {self._negated(found.test)}:", [Remove(found.statement)]

    def _switched(self, found: Exit, rest: Sequence[ast.stmt]) -> tuple[str, list[Change]]:
        """A name tells the rest whether the tile was left, below a condition of the compiler's."""
        if not rest and found.done:
            return "", [self._without(found.end)]
        if not self._is_truth(found.test):
            raise NotExpressible(f"the condition in line {found.test.lineno} may be a number")
        flag = self._writer.fresh("is_done")
        self.begins[self._body.exits.index(found)].append(f"{flag} = False")
        test = f"{flag} = {self._text(found.test)}"
        if found.done:
            self.gone.add(found.test)
            changes: list[Change] = [
                InsertBefore(found.branch, test),
                ReplaceExpression(found.test, flag),
                self._without(found.end),
            ]
        else:
            self.gone.add(found.branch)
            comments = "".join(f"{comment}\n" for comment in self._comments(found.branch))
            changes = [Replace(found.branch, f"{comments}{test}")]
        return f"if not {flag}:", changes

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
