"""How many rows a program gets at each launch, by the length of the tile that holds one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.algebra.turns import is_at_least, is_at_most
from tritonopt.facts.operations import Op
from tritonopt.launches.division import Divisor
from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.launch_grids import Extent
from tritonopt.launches.new_parameters import NewParameter
from tritonopt.launches.plan import Count, LaunchPlan
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.passes.row_batch.axes import AXIS
from tritonopt.source import Change, Launch

Tile = int | tuple[str, ast.expr]
"""The length of a tile at a launch: a number, or the parameter and what is passed for it."""


_SOME = "of several rows where these are short"


@dataclass(frozen=True)
class RowLaunches:
    """The launches of a kernel whose programs get several rows."""

    plan: LaunchPlan
    size: NewParameter
    """The constexpr that says how many rows a program has."""
    rows: Count
    tiles: tuple[tuple[Tile, ...], ...]
    """Of each launch."""
    elements: int
    """Of a program's tile."""

    @property
    def count(self) -> str:
        """How many rows there are, in the kernel's own terms."""
        return self.rows.code

    @property
    def are_all_short(self) -> bool:
        """Whether each launch is seen to give two rows or more to each program."""
        facts, most = self.plan.facts, self.elements // 2
        return all(_is_within(facts, most, extent.launch) for extent in self.rows.extents)

    def changes(self) -> list[Change]:
        """Raises NotExpressible."""
        divisors = map(self._divisor, self.rows.extents, self.tiles)
        return self.plan.divide(self.size, self.rows, list(divisors))

    def _divisor(self, extent: Extent, tiles: tuple[Tile, ...]) -> Divisor:
        """The rows of a program: a power of two, as the length of a tile is."""
        launch = extent.launch
        numbers = [tile for tile in tiles if isinstance(tile, int)]
        reads = tuple(tile for tile in tiles if not isinstance(tile, int))
        if _is_beyond(self.plan.facts, self.elements // 2, launch):
            return Divisor(extent, "1")
        parts = [f"{{{place}}}" for place in range(len(reads))]
        parts += [str(max(numbers))] if numbers else []
        longest = parts[0] if len(parts) == 1 else f"max({', '.join(parts)})"
        code, short = f"{self.elements} // {longest}", True
        if not reads:
            code = str(self.elements // max(numbers))
        elif not _is_within(self.plan.facts, self.elements, launch):
            code, short = f"max({code}, 1)", False
        if "max" in code:
            check_builtin(launch, "max")
        takes = f"program takes about {self.elements} elements"
        comment = f"Rows are short: a {takes}." if short else f"A {takes}, {_SOME}."
        return Divisor(extent, code, reads, f"# {comment}")


def prove_row_launches(
    facts: KernelFacts, writer: Writer, size: str, elements: int, attempt: Attempt
) -> RowLaunches:
    """Whether every launch is seen and can start fewer programs. Raises Declined."""
    plan = LaunchPlan.of(facts, attempt, apart=True)
    rows = plan.count(AXIS, writer.language("cdiv"), writer.fresh)
    annotation = writer.language("constexpr")
    parameter = plan.constexpr(size, annotation)
    tiles = tuple(tuple(_tiles(facts, at)) for at in plan)
    attempt.assume_no_other_launches()
    if all(_is_beyond(facts, elements // 2, at.launch) for at in plan):
        detail = f"rows of more than {elements // 2} elements: a program has enough to do"
        raise refuted("rows-can-be-lifted", "tile-is-long", detail)
    return RowLaunches(plan, parameter, rows, tiles, elements)


def _is_within(facts: KernelFacts, most: int, launch: Launch) -> bool:
    """Whether no tile of a row is longer than that."""
    return all(is_at_most(facts, length, most, launch) for length in _lengths(facts))


def _is_beyond(facts: KernelFacts, most: int, launch: Launch) -> bool:
    """Whether a tile of each row is longer than that."""
    return any(is_at_least(facts, length, most + 1, launch) for length in _lengths(facts))


def _lengths(facts: KernelFacts) -> list[Value]:
    """The lengths of the tiles of a row, as the kernel has them."""
    return list(dict.fromkeys(v.extent for v in facts.interpretation.computed if v.op is Op.LANE))


def _tiles(facts: KernelFacts, at: PlannedLaunch) -> Iterator[Tile]:
    """How long the tiles of a row are at a launch. Raises Declined."""
    parameters = {p.name for p in at.launch.kernel.parameters}
    for length in _lengths(facts):
        if isinstance(length.constant, int):
            yield length.constant
            continue
        is_parameter = length.op is Op.CONSTEXPR and length.attribute in parameters
        passed = at.passed(length.name) if is_parameter else None
        if passed is None:
            detail = f"how long a tile is, is not passed by the launch in {at.launch.where}"
            if is_parameter and length.name in at.launch.arguments:
                detail += f" in a way that is sure to stay: bind {length.name} to a name before it"
            raise unknown("length-is-known-at-the-launch", "tile-is-not-passed", detail)
        if isinstance(passed, ast.Constant) and type(passed.value) is int and passed.value > 0:
            yield passed.value
        else:
            yield length.name, passed
