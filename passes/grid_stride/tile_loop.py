"""Writing a loop over tiles: the loop, what stands before it, and what comes after it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent

from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts.language import MATRIX
from tritonopt.facts.operations import Op
from tritonopt.passes.grid_stride.tile_body import TileBody
from tritonopt.passes.grid_stride.tile_branches import WrittenBranches, written_branches
from tritonopt.passes.grid_stride.tile_legality import Tiling
from tritonopt.passes.grid_stride.tile_names import TileNames, Updated, language_call
from tritonopt.passes.grid_stride.tile_sums import TileSum
from tritonopt.source import (
    AddParameter,
    Change,
    Enclose,
    InsertAfter,
    InsertBefore,
    Module,
    Remove,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.editing.excerpts import moved_code
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class TileCode:
    """The code of expressions as it will be in a tile."""

    module: Module
    replaced: Mapping[ast.expr, str]
    """New code for expressions of the kernel."""

    def text(self, node: ast.expr, replaced: Mapping[ast.expr, str] | None = None) -> str:
        """As if its statement were not indented."""
        given = self.replaced if replaced is None else replaced
        first, *rest = self.module.text_with(node, given).split("\n")
        statement = self.module.names.statement_of(node)
        start, _ = self.module.lines.span(statement)
        margin = self.module.text[self.module.lines.start(statement.lineno) : start]
        return "\n".join([first, *(line.removeprefix(margin) for line in rest)])


def tile_loop(tiling: Tiling, writer: Writer) -> list[Change]:
    """The edits of the kernel. Raises NotExpressible."""
    body, module = tiling.body, tiling.body.kernel.module
    if not body.looped:
        raise NotExpressible("nothing in the kernel depends on the tile")
    scopes = module.names
    if scopes.scopes[body.kernel.node].find("range") is not None or scopes.stars:
        raise NotExpressible("range may be a name of the file's own")
    names = TileNames.of(tiling, writer)
    code = TileCode(module, names.replaced)
    branches = written_branches(body, writer, code.text, names.copies)
    return _TileLoop(tiling, writer, names, code, branches).changes()


@dataclass(frozen=True)
class _TileLoop:
    """The loop, what stands before it, and what comes after it."""

    tiling: Tiling
    writer: Writer
    names: TileNames
    code: TileCode
    branches: WrittenBranches

    @property
    def body(self) -> TileBody:
        return self.tiling.body

    @property
    def module(self) -> Module:
        return self.tiling.body.kernel.module

    @property
    def _gone(self) -> set[ast.AST]:
        """What is written anew, or not at all."""
        statement = self.names.statement
        updated = {one.statement for one in self.names.updated}
        return {*updated, *([statement] if statement is not None else [])}

    def changes(self) -> list[Change]:
        body = self.body
        self._check()
        first, last = body.looped[0], body.looped[-1]
        block = body.kernel.node.body
        moved = [s for s in body.hoisted if block.index(s) > block.index(first)]
        before = [moved_code(self.module, s) for s in moved]
        before += [*self._beginnings(), *self.names.before]
        changes: list[Change] = [Remove(self.names.statement)] if self.names.statement else []
        changes += map(self._update, self.names.updated)
        changes += [Remove(s, moved=True) for s in moved]
        if not self.tiling.launches.bound:
            changes.append(AddParameter(body.kernel, f"{self.tiling.launches.parameter}=None"))
        changes += [InsertBefore(first, code) for code in before]
        top = "".join(f"    {line}\n" for line in self.branches.begins[0])
        changes.append(Enclose(first, last, f"{self._head()}{top}    ..."))
        changes += [*self.branches.changes, *self._sums(last)]
        if body.last_return is not None:
            changes.append(Remove(body.last_return))
        return [*changes, *self._replacements()]

    def _check(self) -> None:
        body = self.body
        guards = {found.statement for found in body.exits if found.is_guard}
        if all(s in guards or s in self._gone for s in body.looped):
            raise NotExpressible("a tile does nothing")
        for end in (body.looped[0], body.looped[-1]):
            if not self.module.has_own_lines(end):
                raise NotExpressible(f"the statement in line {end.lineno} shares its line")
        for node in walk(body.kernel.node):
            if isinstance(node, ast.JoinedStr) and not self.code.replaced.keys().isdisjoint(
                walk(node)
            ):
                raise NotExpressible(f"a string in line {node.lineno} holds what changes")

    def _head(self) -> str:
        """`for tile in range(...):`, with the comment that stood behind the program id."""
        statement = self.names.statement
        comments: list[str] = []
        if statement is not None:
            comments = self.module.comments(statement.lineno, (statement.end_lineno or 0) + 1)
        behind = "".join(f"  {comment}" for comment in comments[-1:])
        return f"for {self.names.variable} in {self._range()}:{behind}\n"

    def _range(self) -> str:
        """What the loop runs over; not pipelined, as a loop with a product in it would be.

        The stages that the launch asks for are those of the loops that were there.
        """
        ends = [language_call(self.body, self.writer, n) for n in ("program_id", "num_programs")]
        steps = f"{ends[0]}, {self.names.count}, {ends[1]}"
        multiplies = any(
            value.op is Op.RESHAPED and value.function in MATRIX
            for value in self.body.facts.interpretation.computed
        )
        if multiplies:
            return f"{self.writer.language('range')}({steps}, num_stages=1)"
        return f"range({steps})"

    def _update(self, updated: Updated) -> Change:
        value, begins = self.code.text(updated.value), updated.value
        plain = isinstance(begins, (ast.Name, ast.Call, ast.Constant)) or (
            isinstance(begins, ast.BinOp) and isinstance(begins.op, ast.Mult)
        )
        value = value if plain else f"({value})"
        code = f"{updated.name} = {updated.parameter} {updated.operator} {value}"
        return Replace(updated.statement, code)

    def _replacements(self) -> list[Change]:
        """Of expressions in what is not written anew as a whole."""
        sums = {found.statement for found in self.tiling.sums.sums}
        gone = {*self._gone, *self.branches.gone, *sums}
        inside = {node for statement in gone for node in walk(statement)}
        return [
            ReplaceExpression(node, code)
            for node, code in self.code.replaced.items()
            if node not in inside
        ]

    # What moves out of the loop

    def _beginnings(self) -> list[str]:
        """What stands before the loop, for sums under a condition below that condition."""
        return self._by_condition(
            [(s.under, f"{s.name} = {s.begins}") for s in self.tiling.sums.sums]
        )

    def _sums(self, last: ast.stmt) -> list[Change]:
        changes: list[Change] = []
        atomics = []
        for found in self.tiling.sums.sums:
            changes.append(Replace(found.statement, found.step.format(value=self._added(found))))
            atomics.append((found.under, self.code.text(found.call, {found.added: found.name})))
        return [*changes, *(InsertAfter(last, code) for code in self._by_condition(atomics))]

    def _by_condition(self, codes: Sequence[tuple[ast.If | None, str]]) -> list[str]:
        """The codes in order, those of one `if` together below it."""
        found: dict[ast.If | str, str] = {}
        for under, code in codes:
            if under is None:
                found[code] = code
            else:
                head = found.get(under, f"if {self.code.text(under.test)}:")
                found[under] = f"{head}\n{indent(code, '    ')}"
        return list(found.values())

    def _added(self, found: TileSum) -> str:
        code = self.code.text(found.added)
        if not found.cast:
            return code
        if found.may_be_number:
            return f"{self.writer.language('cast')}({code}, {found.cast})"
        is_primary = isinstance(found.added, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        plain = code if is_primary and "\n" not in code else f"({code})"
        return f"{plain}.to({found.cast})"
