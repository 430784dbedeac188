"""Writing a loop over tiles: the loop, what stands before it, and what comes after it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from textwrap import indent

from tritonopt.facts.language import MATRIX
from tritonopt.facts.operations import Op
from tritonopt.source import (
    AddParameter,
    Change,
    EditConflict,
    Enclose,
    InsertAfter,
    InsertBefore,
    Remove,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.editing.excerpts import statement_code
from tritonopt.source.trees import walk
from tritonopt.transforms.tiling.tile_body import PLAIN_OPERATORS
from tritonopt.transforms.tiling.tile_branches import TileBranches
from tritonopt.transforms.tiling.tile_legality import Tiling
from tritonopt.transforms.tiling.tile_numbers import asks_for_tensor
from tritonopt.transforms.tiling.tile_sums import TileSum
from tritonopt.transforms.writing import NotExpressible, Writer


class TileLoop:
    """The edit of the kernel: the loop, what stands before it, and what comes after it."""

    def __init__(self, tiling: Tiling, writer: Writer) -> None:
        body = tiling.body
        self.body = body
        self.sums = tiling.sums.sums
        self.launches = tiling.launches
        self.kernel = body.kernel
        self.module = body.kernel.module
        self.writer = writer
        self.replaced: dict[ast.expr, str] = {}
        """New code for expressions of the kernel."""
        self.gone: set[ast.AST] = set()
        """What is written anew, or not at all."""
        self.branches = TileBranches(body, writer, self._text)

    def changes(self) -> list[Change]:
        """Raises NotExpressible."""
        body = self.body
        if not body.looped:
            raise NotExpressible("nothing in the kernel depends on the tile")
        names = self.module.names
        if names.scopes[self.kernel.node].find("range") is not None or names.stars:
            raise NotExpressible("range may be a name of the file's own")
        variable, behind, changes = self._induction()
        changes += self._rename_parameters()
        self.replaced.update(self.branches.renamed)
        first, last = body.looped[0], body.looped[-1]
        guards = {found.statement for found in body.exits if found.is_guard}
        if all(s in guards or s in self.gone for s in body.looped):
            raise NotExpressible("a tile does nothing")
        for end in (first, last):
            if not self.module.has_own_lines(end):
                raise NotExpressible(f"the statement in line {end.lineno} shares its line")
        block = self.kernel.node.body
        moved = [s for s in body.hoisted if block.index(s) > block.index(first)]
        before = [self._moved(s) for s in moved]
        changes += [Remove(s, keep_comments=False) for s in moved]
        before += self._beginnings()
        tiles, given = self._number_of_tiles()
        before += given
        if not self.launches.bound:
            changes.append(AddParameter(self.kernel, f"{self.launches.parameter}=None"))
        changes += [InsertBefore(first, code) for code in before]
        branched = self.branches.changes()
        self.gone |= self.branches.gone
        top = "".join(f"    {line}\n" for line in self.branches.begins[0])
        head = f"for {variable} in {self._range(tiles)}:{behind}\n"
        changes.append(Enclose(first, last, f"{head}{top}    ..."))
        changes += branched
        changes += self._write_sums(last)
        if body.last_return is not None:
            changes.append(Remove(body.last_return))
        for node in walk(self.kernel.node):
            if isinstance(node, ast.JoinedStr) and not self.replaced.keys().isdisjoint(walk(node)):
                raise NotExpressible(f"a string in line {node.lineno} holds what changes")
        inside = {node for statement in self.gone for node in walk(statement)}
        changes += [
            ReplaceExpression(node, code)
            for node, code in self.replaced.items()
            if node not in inside
        ]
        return changes

    def _number_of_tiles(self) -> tuple[str, list[str]]:
        """Code for it, also in the place of the number of programs, and what must stand before."""
        tiles = self.launches.bound
        if tiles and not self.body.ids.counts:
            return tiles, []
        name = self.writer.fresh("num_tiles")
        if not tiles:
            parameter = self.launches.parameter
            whole = self._language_call("num_programs")
            tiles = f"{whole} if {parameter} is None else {parameter}"
        if self.body.ids.counts:
            # A tensor as the number of programs was, whatever the launch passes.
            cast, type_ = self.writer.language("cast"), self.writer.language("int32")
            tiles = f"{cast}({tiles}, {type_})"
            self.replaced.update(dict.fromkeys(self.body.ids.counts, name))
        return name, [f"{name} = {tiles}"]

    def _range(self, tiles: str) -> str:
        """What the loop runs over; not pipelined, as a loop with a product in it would be.

        The stages that the launch asks for are those of the loops that were there.
        """
        steps = (
            f"{self._language_call('program_id')}, {tiles}, {self._language_call('num_programs')}"
        )
        multiplies = any(
            value.op is Op.RESHAPED and value.function in MATRIX
            for value in self.body.facts.interpretation.computed
        )
        if multiplies:
            return f"{self.writer.language('range')}({steps}, num_stages=1)"
        return f"range({steps})"

    def _language_call(self, name: str) -> str:
        """`tl.num_programs(axis=0)`, with the axis as the kernel writes it."""
        call = self.body.ids.calls[0]
        _, start = self.module.lines.span(call.func)
        _, end = self.module.lines.span(call)
        return self.writer.language(name) + self.module.text[start:end]

    # The loop variable in the place of the program id

    def _induction(self) -> tuple[str, str, list[Change]]:
        """The loop variable, the comment that stood behind its statement, and the edits."""
        ids = self.body.ids
        is_cast = asks_for_tensor(self.body.facts, ids, self.body.looped)
        statement = None if is_cast else self._program_id_statement()
        if statement is None:
            variable = self.writer.fresh("tile")
            for call in ids.calls:
                self._replace_id(call, variable, is_cast=is_cast)
            return variable, "", []
        assert isinstance(statement.targets[0], ast.Name)
        variable = statement.targets[0].id
        for node in walk(self.kernel.node):
            if isinstance(node, ast.Name) and node.id == variable:
                self._replace_conversion(node, variable)
        self.gone.add(statement)
        comments = self.module.comments(statement.lineno, (statement.end_lineno or 0) + 1)
        behind = "".join(f"  {comment}" for comment in comments[-1:])
        return variable, behind, [Remove(statement)]

    def _program_id_statement(self) -> ast.Assign | None:
        """`pid = tl.program_id(0)` where that is the only thing that pid ever is."""
        if len(self.body.ids.calls) != 1 or self.body.ids.conversions:
            return None
        for statement in self.body.looped:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    scope = self.module.names.scopes[self.kernel.node]
                    alone = len(scope.bindings[name]) == 1
                    if value is self.body.ids.calls[0] and alone:
                        return statement
        return None

    def _replace_id(self, call: ast.Call, variable: str, *, is_cast: bool) -> None:
        converted = self.body.ids.conversions.get(call)
        if converted is not None:
            cast, type_ = self.writer.language("cast"), self.writer.language(converted)
            self.replaced[call] = f"{cast}({variable}, {type_})"
            return
        if self._replace_conversion(call, variable):
            return
        around = self.module.names.parents.get(call)
        if is_cast or isinstance(around, (ast.Assign, ast.AnnAssign)):
            cast, type_ = self.writer.language("cast"), self.writer.language("int32")
            self.replaced[call] = f"{cast}({variable}, {type_})"
        else:
            self.replaced[call] = variable

    def _replace_conversion(self, node: ast.expr, variable: str) -> bool:
        """`pid.to(tl.int64)` becomes a cast of the loop variable."""
        parents = self.module.names.parents
        around = parents.get(node)
        call = parents.get(around) if isinstance(around, ast.Attribute) else None
        if not (isinstance(around, ast.Attribute) and isinstance(call, ast.Call)):
            return False
        if around.attr != "to":
            return False
        _, start = self.module.lines.span(call.func)
        _, end = self.module.lines.span(call)
        arguments = self.module.text[start:end].removeprefix("(")
        self.replaced[call] = f"{self.writer.language('cast')}({variable}, {arguments}"
        return True

    # Parameters that the body binds again

    def _rename_parameters(self) -> list[Change]:
        changes: list[Change] = []
        for parameter in self.body.rebound:
            new = self.writer.fresh(f"{parameter}_tile")
            kept: set[ast.AST] = set()
            first, begins = self.body.beginning(parameter)
            if begins is None:
                copies = self.branches.begins[self.body.region_of(parameter)]
                copies.append(f"{new} = {parameter}")
            else:
                kept = set(walk(begins))
            for statement in self.body.looped:
                for node in walk(statement):
                    if isinstance(node, ast.Name) and node.id == parameter and node not in kept:
                        self.replaced[node] = new
            if isinstance(first, ast.AugAssign) and begins is not None:
                operator = PLAIN_OPERATORS[type(first.op)]
                value = self._text(begins)
                plain = isinstance(begins, (ast.Name, ast.Call, ast.Constant)) or (
                    isinstance(begins, ast.BinOp) and isinstance(begins.op, ast.Mult)
                )
                value = value if plain else f"({value})"
                self.gone.add(first)
                changes.append(Replace(first, f"{new} = {parameter} {operator} {value}"))
        return changes

    # What moves out of the loop

    def _moved(self, statement: ast.stmt) -> str:
        try:
            return statement_code(self.module, statement)
        except EditConflict as error:
            raise NotExpressible(str(error)) from None

    def _text(self, node: ast.expr) -> str:
        """The text of an expression as it will be, in parentheses where it takes several lines."""
        text = self._code(node, self.replaced)
        return f"({text})" if "\n" in text else text

    def _code(self, node: ast.expr, replaced: Mapping[ast.expr, str]) -> str:
        """The text with other code in the place of some, as if its statement were not indented."""
        first, *rest = self.module.text_with(node, replaced).split("\n")
        statement: ast.AST = node
        while not isinstance(statement, ast.stmt):
            statement = self.module.names.parents[statement]
        start, _ = self.module.lines.span(statement)
        margin = self.module.text[self.module.lines.start(statement.lineno) : start]
        return "\n".join([first, *(line.removeprefix(margin) for line in rest)])

    def _beginnings(self) -> list[str]:
        """What stands before the loop, for sums under a condition below that condition."""
        return self._by_condition([(s.under, f"{s.name} = {s.begins}") for s in self.sums])

    def _write_sums(self, last: ast.stmt) -> list[Change]:
        changes: list[Change] = []
        atomics = []
        for found in self.sums:
            self.gone.add(found.statement)
            changes.append(Replace(found.statement, found.step.format(value=self._added(found))))
            atomics.append((found.under, self._code(found.call, {found.added: found.name})))
        return [*changes, *(InsertAfter(last, code) for code in self._by_condition(atomics))]

    def _by_condition(self, codes: Sequence[tuple[ast.If | None, str]]) -> list[str]:
        """The codes in order, those of one `if` together below it."""
        found: dict[ast.If | str, str] = {}
        for under, code in codes:
            if under is None:
                found[code] = code
            else:
                head = found.get(under, f"if {self._text(under.test)}:")
                found[under] = f"{head}\n{indent(code, '    ')}"
        return list(found.values())

    def _added(self, found: TileSum) -> str:
        if not found.cast:
            return self._text(found.added)
        code = self._code(found.added, self.replaced)
        if found.may_be_number:
            return f"{self.writer.language('cast')}({code}, {found.cast})"
        is_primary = isinstance(found.added, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        plain = code if is_primary and "\n" not in code else f"({code})"
        return f"{plain}.to({found.cast})"
