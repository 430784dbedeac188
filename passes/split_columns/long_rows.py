"""The kernel for long rows beside the one that there is, and the launches that decide."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import new_function_name
from tritonopt.emit.writing import Writer
from tritonopt.facts import Assumption, KernelFacts
from tritonopt.facts.algebra.turns import is_at_most
from tritonopt.facts.host.launcher_code import evaluation_at
from tritonopt.launches.plan import LaunchPlan, can_choose
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.passes.split_columns.column_loops import ColumnLoops
from tritonopt.passes.split_columns.column_proof import ColumnTiles
from tritonopt.passes.split_columns.row_statements import OneTileRow
from tritonopt.source import (
    Change,
    InsertAfter,
    Launch,
    ReplaceExpression,
)
from tritonopt.source.editing import excerpts, parameters


@dataclass(frozen=True)
class LongRows:
    """What the launches were shown to allow."""

    facts: KernelFacts
    tile: str
    """The parameter that says how long a tile is."""
    longest: int
    """The longest tile that the kernel keeps."""
    block: int
    """The tile of longer rows."""

    @cached_property
    def name(self) -> str:
        """What the new kernel is called."""
        return new_function_name(self.facts.kernel.module, f"{self.facts.kernel.name}_long")

    def changes(self, columns: ColumnTiles) -> Iterator[Change]:
        """Raises NotExpressible."""
        yield self._kernel(columns)
        for launch in self.facts.launches.launches:
            yield from self._either(PlannedLaunch(launch))

    def _kernel(self, columns: ColumnTiles) -> Change:
        kernel = self.facts.kernel
        body = ColumnLoops(columns, Writer(self.facts)).code()
        module, node = kernel.module, kernel.node
        first = node.body[0].lineno
        head = "\n".join(module.lines.texts[node.lineno - 1 : first - 1])
        head = head.rstrip()
        while head.rpartition("\n")[2].lstrip().startswith("#"):
            head = head.rpartition("\n")[0].rstrip()
        head = parameters.renamed(head, 0, self.name)
        decorators = [f"@{module.text_of(d)}" for d in node.decorator_list]
        said = f"# {kernel.name} for long rows, tile by tile."
        code = "\n".join([said, *decorators, head, excerpts.indented(body, "    ")])
        return InsertAfter(node, f"\n\n{code}\n")

    def _either(self, at: PlannedLaunch) -> Iterator[Change]:
        launch = at.launch
        changes = [ReplaceExpression(launch.arguments[self.tile], str(self.block))]
        warps = launch.options.get("num_warps")
        if warps is not None and not isinstance(warps, ast.Constant):
            changes.append(ReplaceExpression(warps, "8"))
        parameters = {p.name: p.default is not None for p in self.facts.kernel.parameters}
        return at.either(self.asked(launch), self.name, parameters, changes)

    def asked(self, launch: Launch) -> str:
        """Where a row is long."""
        given = launch.arguments[self.tile]
        text = excerpts.one_line(launch.module, given)
        plain = isinstance(given, (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
        return f"{text if plain else f'({text})'} > {self.longest}"


def is_done(row: OneTileRow, longest: int) -> bool:
    """Whether each launch stands where rows are not long, which another one is for."""
    facts = row.facts
    rows = LongRows(facts, row.tile.name, longest, 0)
    launches = facts.launches.launches
    return bool(launches) and all(
        row.tile.name in launch.arguments and PlannedLaunch(launch).is_after(rows.asked(launch))
        for launch in launches
    )


def prove_launches(row: OneTileRow, longest: int, block: int, attempt: Attempt) -> LongRows:
    """Whether each launch can choose between two kernels. Raises Declined."""
    facts, tile, claim = row.facts, row.tile.name, "launches-are-seen"
    LaunchPlan.of(facts, attempt)
    if not can_choose(facts):
        text = "the launches do not call the kernel by its name, in the file's own block"
        raise refuted(claim, "unseen-launches", text)
    if [*facts.kernel.decorators] != ["triton.jit"]:
        text = f"a decorator of the kernel may choose {tile}, or something that goes with it"
        raise unknown("length-is-known-at-the-launch", "tile-is-not-passed", text)
    for launch in facts.launches.launches:
        _check(launch, tile, longest)
    attempt.prove("length-is-known-at-the-launch", f"each launch passes {tile}")
    said: list[Assumption] = []
    if not is_at_most(facts, row.extent - facts.forms.of(row.tile), 0, given=said):
        text = f"a launch may pass a {tile} that is shorter than the row, of which the rest is left"
        raise unknown("rows-can-be-lifted", "row-may-be-longer", text)
    attempt.prove("rows-can-be-lifted", "the tile is as long as the row, at any launch", said)
    attempt.assume_no_other_launches()
    return LongRows(facts, tile, longest, block)


def _check(launch: Launch, tile: str, longest: int) -> None:
    claim, given = "length-is-known-at-the-launch", launch.arguments.get(tile)
    if given is None:
        text = f"how long a tile is, is not passed by the launch in {launch.where}"
        raise unknown(claim, "tile-is-not-passed", text)
    if isinstance(given, ast.Constant):
        text = f"the launch in {launch.where} has tiles of {given.value!r} for rows of any length"
        raise refuted(claim, "tile-is-not-passed", text)
    if not evaluation_at(launch).is_pure(given):
        text = f"what the launch in {launch.where} passes for {tile} cannot be asked twice"
        raise unknown(claim, "tile-is-not-passed", text)
    if not isinstance(launch.grid, ast.Tuple):
        text = f"the grid of the launch in {launch.where} may be computed from {tile}"
        raise unknown("grid-is-known", "grid-depends-on-the-configuration", text)
