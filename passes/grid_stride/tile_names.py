"""Writing a loop over tiles: what the names and expressions of the kernel become in it.

All of them are found before code is written with any, for one may stand in the code of another.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tritonopt.emit.code_edits import arguments_code
from tritonopt.emit.writing import Writer
from tritonopt.passes.grid_stride.exit_legality import names_in_both
from tritonopt.passes.grid_stride.tile_body import PLAIN_OPERATORS, TileBody
from tritonopt.passes.grid_stride.tile_legality import Tiling
from tritonopt.passes.grid_stride.tile_numbers import asks_for_tensor
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Updated:
    """`X += row * stride` of a parameter, which becomes `X_tile = X + row * stride`."""

    statement: ast.AugAssign
    name: str
    parameter: str
    value: ast.expr

    @property
    def operator(self) -> str:
        return PLAIN_OPERATORS[type(self.statement.op)]


@dataclass(frozen=True)
class TileNames:
    variable: str
    """The loop variable, which is in a tile what the program id was."""
    statement: ast.Assign | None
    """The one that bound that name before, and goes."""
    updated: tuple[Updated, ...]
    """Of the parameters that the body binds again, and would go on from tile to tile."""
    copies: tuple[tuple[str, ...], ...]
    """Statements that the tile, and the rest after each of its exits, must begin with."""
    count: str
    """Code for the number of tiles, also in the place of the number of programs."""
    before: tuple[str, ...]
    """Statements that must stand before the loop."""
    replaced: Mapping[ast.expr, str]
    """New code for expressions of the kernel, all that there is."""

    @classmethod
    def of(cls, tiling: Tiling, writer: Writer) -> TileNames:
        finder = _Finder(tiling, writer)
        variable, statement = finder.induction()
        updated, copies = finder.parameters()
        finder.rename_in_branches()
        count, before = finder.count()
        return cls(variable, statement, updated, copies, count, before, finder.replaced)


def language_call(body: TileBody, writer: Writer, name: str) -> str:
    """`tl.num_programs(axis=0)`, with the axis as the kernel writes it."""
    return f"{writer.language(name)}({arguments_code(body.kernel.module, body.ids.calls[0])})"


class _Finder:
    def __init__(self, tiling: Tiling, writer: Writer) -> None:
        self.body, self.launches, self.writer = tiling.body, tiling.launches, writer
        self.kernel = tiling.body.kernel
        self.module = tiling.body.kernel.module
        self.replaced: dict[ast.expr, str] = {}

    # The loop variable in the place of the program id

    def induction(self) -> tuple[str, ast.Assign | None]:
        ids = self.body.ids
        is_cast = asks_for_tensor(self.body.facts, ids, self.body.looped)
        statement = None if is_cast else self._program_id_statement()
        if statement is None:
            variable = self.writer.fresh("tile")
            for call in ids.calls:
                self.replaced.update(self._replaced_id(call, variable, is_cast=is_cast))
            return variable, None
        assert isinstance(statement.targets[0], ast.Name)
        variable = statement.targets[0].id
        for node in walk(self.kernel.node):
            if isinstance(node, ast.Name) and node.id == variable:
                self.replaced.update(self._conversion(node, variable))
        return variable, statement

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

    def _replaced_id(self, call: ast.Call, variable: str, *, is_cast: bool) -> dict[ast.expr, str]:
        cast = self.writer.language("cast")
        converted = self.body.ids.conversions.get(call)
        if converted is not None:
            return {call: f"{cast}({variable}, {self.writer.language(converted)})"}
        conversion = self._conversion(call, variable)
        if conversion:
            return conversion
        around = self.module.names.parents.get(call)
        if is_cast or isinstance(around, (ast.Assign, ast.AnnAssign)):
            return {call: f"{cast}({variable}, {self.writer.language('int32')})"}
        return {call: variable}

    def _conversion(self, node: ast.expr, variable: str) -> dict[ast.expr, str]:
        """`pid.to(tl.int64)` becomes a cast of the loop variable."""
        parents = self.module.names.parents
        around = parents.get(node)
        if not isinstance(around, ast.Attribute) or around.attr != "to":
            return {}
        call = parents.get(around)
        if not isinstance(call, ast.Call):
            return {}
        arguments = arguments_code(self.module, call)
        return {call: f"{self.writer.language('cast')}({variable}, {arguments})"}

    # Names that are bound for each tile

    def parameters(self) -> tuple[tuple[Updated, ...], tuple[tuple[str, ...], ...]]:
        updated: list[Updated] = []
        copies: list[tuple[str, ...]] = [()] * (len(self.body.exits) + 1)
        for parameter in self.body.rebound:
            new = self.writer.fresh(f"{parameter}_tile")
            kept: set[ast.AST] = set()
            first, begins = self.body.beginning(parameter)
            if begins is None:
                region = self.body.region_of(parameter)
                copies[region] = (*copies[region], f"{new} = {parameter}")
            else:
                kept = set(walk(begins))
            for statement in self.body.looped:
                for node in walk(statement):
                    if isinstance(node, ast.Name) and node.id == parameter and node not in kept:
                        self.replaced[node] = new
            if isinstance(first, ast.AugAssign) and begins is not None:
                updated.append(Updated(first, new, parameter, begins))
        return tuple(updated), tuple(copies)

    def rename_in_branches(self) -> None:
        """New names in branches that leave for what the rest binds too, of another type maybe."""
        for leaving in self.body.exits:
            for name in names_in_both(self.body, leaving):
                new = self.writer.fresh(name)
                for node in (node for statement in leaving.done for node in walk(statement)):
                    if isinstance(node, ast.Name) and node.id == name:
                        self.replaced[node] = new

    def count(self) -> tuple[str, tuple[str, ...]]:
        tiles, counts = self.launches.bound, self.body.ids.counts
        if tiles and not counts:
            return tiles, ()
        name = self.writer.fresh("num_tiles")
        if not tiles:
            parameter = self.launches.parameter
            whole = language_call(self.body, self.writer, "num_programs")
            tiles = f"{whole} if {parameter} is None else {parameter}"
        if counts:
            # A tensor as the number of programs was, whatever the launch passes.
            cast, type_ = self.writer.language("cast"), self.writer.language("int32")
            tiles = f"{cast}({tiles}, {type_})"
        self.replaced.update(dict.fromkeys(counts, name))
        return name, (f"{name} = {tiles}",)
