"""Whether the programs of a kernel may handle several tiles each, and what that rests on."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.facts.host.local_names import names_of
from tritonopt.launches.launch_grids import Extent
from tritonopt.source import Launch
from tritonopt.transforms.tiling.exit_legality import check_exits
from tritonopt.transforms.tiling.program_count import check_program_count
from tritonopt.transforms.tiling.programs import check_effects, check_program_ids, check_races
from tritonopt.transforms.tiling.tile_body import TileBody, check_names, check_waits
from tritonopt.transforms.tiling.tile_launches import TileLaunches, prove_launches
from tritonopt.transforms.tiling.tile_sums import TileSums, find_sums
from tritonopt.transforms.writing import Writer


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


# Launches that start a program for each multiprocessor, which all run at once already


_PROCESSORS = ("multi_processor_count", "multiprocessor_count")
"""What torch and Triton's driver call their number."""
_MAX_DEPTH = 4


def check_grids(extents: Sequence[Extent]) -> None:
    """Whether a launch may start more programs than there are multiprocessors. Raises Declined."""
    if extents and all(_is_of_processors(e.launch, e.expression) for e in extents):
        lines = ", ".join(str(extent.launch.call.lineno) for extent in extents)
        detail = f"line {lines} starts a program for each multiprocessor at most, each for one tile"
        raise refuted("grid-is-known", "grid-of-processors", detail)


def _is_of_processors(launch: Launch, count: ast.expr | None, depth: int = 0) -> bool:
    """Whether a number is that of the multiprocessors, or not above it, where there are any.

    On other devices it may be what these say: a constant, an attribute, a call of its own.
    """
    match count:
        case ast.Constant(value=1):
            return True
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=name)) if (
            name in _PROCESSORS
        ):
            return True
        case ast.Call(func=ast.Name(id="min"), args=limits, keywords=[]):
            return any(_is_of_processors(launch, limit, depth) for limit in limits)
        case ast.Name(id=name) if launch.launcher is not None and depth < _MAX_DEPTH:
            names = names_of(launch.launcher)
            given = names.assigned.get(name, [])
            asked = [_is_of_processors(launch, value, depth + 1) for value in given]
            others = [value for value, asks in zip(given, asked, strict=True) if not asks]
            plain = all(map(_is_of_another_device, others))
            return name not in names.bound_otherwise and any(asked) and plain
    return False


def _is_of_another_device(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.Attribute() | ast.Call(args=[], keywords=[]):
            return True
    return False
