"""Whether the programs of a kernel may handle several tiles each, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.emit.writing import Writer
from tritonopt.launches.programs import (
    check_effects,
    check_grids,
    check_program_count,
    check_program_ids,
    check_races,
)
from tritonopt.passes.grid_stride.exit_legality import check_exits
from tritonopt.passes.grid_stride.tile_body import TileBody, check_names, check_waits
from tritonopt.passes.grid_stride.tile_launches import TileLaunches, prove_launches
from tritonopt.passes.grid_stride.tile_sums import TileSums, find_sums


@dataclass(frozen=True)
class Tiling:
    """What was shown of a kernel whose programs may handle several tiles each."""

    body: TileBody
    sums: TileSums
    launches: TileLaunches


def prove_tiling(body: TileBody, writer: Writer, attempt: Attempt, *, keep_unseen: bool) -> Tiling:
    """Goes through the conditions. Raises Declined at the first one that does not hold.

    With `keep_unseen`, launches that are not seen may be started as they are.
    """
    check_body(body, attempt)
    sums = find_sums(body, writer, attempt)
    launches = prove_launches(body.facts, writer, body.ids.axis, attempt, keep_unseen=keep_unseen)
    check_grids(launches.extents)
    return Tiling(body, sums, launches)


def check_body(body: TileBody, attempt: Attempt) -> None:
    """Whether the body can run again and again. Raises Declined."""
    check_program_ids(body.ids)
    check_program_count(body.facts, body.ids)
    used = "stands for that of tiles" if body.ids.counts else "is not used"
    detail = f"the number of programs {used}, and no helper reads the program id"
    attempt.prove("rows-can-be-lifted", detail)
    check_effects(body.facts, attempt)
    check_exits(body, attempt)
    check_waits(body, attempt)
    check_races(body.facts, body.ids.axis, attempt)
    check_names(body, attempt)
