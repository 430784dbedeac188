"""Whether a program of a kernel handles one row, and may handle several at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Iteration, Lane, PowerOfTwo, ProgramId, Unread
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.turns import is_at_least, is_at_most, takes_one_turn
from tritonopt.facts.language import REDUCTIONS, SCANS
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.circumstances import inputs_of
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.facts.recurrences.reading import all_parts
from tritonopt.launches.division import Divisor
from tritonopt.launches.known_launches import NewParameter, check_builtin
from tritonopt.launches.launch_grids import Extent
from tritonopt.launches.plan import Count, LaunchPlan, PlannedLaunch
from tritonopt.launches.programs import check_effects, check_program_ids, check_races
from tritonopt.passes.row_batch.lifted_body import LiftedBody, lift_body, name_rows
from tritonopt.passes.row_batch.lifted_expressions import AXIS, CLAIM
from tritonopt.rewriting.profitability import threads_of
from tritonopt.source import Change, Launch

Tile = int | tuple[str, ast.expr]
"""The length of a tile at a launch: a number, or the parameter and what is passed for it."""

_MANY = 256
"""Threads of a program: more than those with which short rows were measured."""


@dataclass(frozen=True)
class RowLaunches:
    plan: LaunchPlan
    size: NewParameter
    """The constexpr that says how many rows a program has."""
    rows: Count
    tiles: tuple[tuple[Tile, ...], ...]
    """Of each launch."""
    elements: int
    """Of a program's tile."""

    @property
    def are_all_short(self) -> bool:
        """Whether each launch is seen to give two rows or more to each program."""
        facts, most = self.plan.facts, self.elements // 2
        return all(_is_within(facts, most, extent.launch) for extent in self.rows.extents)

    @property
    def may_be_short(self) -> bool:
        """Whether each launch has short tiles, or such that grow with the row, and few threads.

        Who passes more warps, or as many as the length takes, has long rows.
        """
        facts, most = self.plan.facts, self.elements // 2
        return all(
            _is_within(facts, most, at.launch)
            or ((threads_of(at.launch) or _MANY) < _MANY and all(map(_grows, _passed(facts, at))))
            for at in facts.launches.bindings
        )

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
        longer = "" if short else ", or one longer tile"
        comment = f"# A program takes about {self.elements} elements{longer}."
        return Divisor(extent, code, reads, comment)


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
    return all(is_at_most(facts, length, most, launch) for length in _lengths(facts))


def _is_beyond(facts: KernelFacts, most: int, launch: Launch) -> bool:
    return any(is_at_least(facts, length, most + 1, launch) for length in _lengths(facts))


def _passed(facts: KernelFacts, at: LaunchBinding) -> Iterator[Polynomial]:
    """How long the tiles of a row are at a launch, in terms of its launcher."""
    for length in _lengths(facts):
        yield substitute(facts.forms.of(length), at)


def _grows(length: Polynomial) -> bool:
    """Whether a tile grows with a size, and not with the root of one, or what else is computed."""
    tiles = (atom for atom in length.leaves() if isinstance(atom, PowerOfTwo))
    return any(not any(isinstance(a, Unread) for a in inputs_of(tile.form)) for tile in tiles)


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
            detail = f"the tile length is not an argument of the launch in {at.launch.where}"
            if is_parameter and length.name in at.launch.arguments:
                detail += f" by a name that stays bound: bind {length.name} to a name before it"
            raise unknown("length-is-known-at-the-launch", "tile-is-not-passed", detail)
        if isinstance(passed, ast.Constant) and type(passed.value) is int and passed.value > 0:
            yield passed.value
        else:
            yield length.name, passed


# Whether a program of a kernel handles one row, and may handle several at once

_PROGRAM = ProgramId(Polynomial.constant(AXIS))


@dataclass(frozen=True)
class RowBatch:
    facts: KernelFacts
    body: LiftedBody
    launches: RowLaunches

    def changes(self) -> list[Change]:
        """Of the kernel and its launches. Raises NotExpressible."""
        return self.body.changes(self.launches.rows.code) + self.launches.changes()

    @property
    def adds_up_floats(self) -> bool:
        return self.body.inside.is_summed


def row_ids(facts: KernelFacts) -> ProgramIds | None:
    """The program ids of a kernel whose programs handle one row each, as it seems; else None.

    Each such program has tiles of one axis, and goes to other places than the others. Where tiles
    number the elements through, there are no rows, unless the tiles are reduced.
    """
    ids = ProgramIds.of(facts.kernel, AXIS)
    ranks = _ranks(facts)
    if not ids.calls or 1 not in ranks or max(ranks) > 1:
        return None
    computed = facts.interpretation.computed
    is_flat = ids.are_strided or any(_is_flat(facts, value) for value in computed)
    return None if is_flat and not any(map(_is_reduction, computed)) else ids


def _ranks(facts: KernelFacts) -> set[int]:
    """How many axes that has which a program reads or writes at places of its own."""
    own = (e.pointer for e in facts.effects if _is_of_program(facts, e.pointer))
    return {pointer.rank or 0 for pointer in own if pointer is not None}


def _is_of_program(facts: KernelFacts, value: Value | None) -> bool:
    """Whether a value may differ between programs along the axis."""
    parts = all_parts(facts, value) if value is not None else ()
    return any(p.op is Op.PROGRAM_ID and p.axis.constant == AXIS for p in parts)


def _is_flat(facts: KernelFacts, value: Value) -> bool:
    """Whether a tile numbers elements through, from the tile of one program to that of the next."""
    if value.rank != 1 or value.op not in (Op.ADD, Op.SUB):
        return False
    form = facts.forms.of(value)
    step = form.coefficient(_PROGRAM)
    lengths = [atom.extent for atom in form.atoms if isinstance(atom, Lane)]
    if step in lengths:
        return True
    for trip in (atom for atom in form.atoms if isinstance(atom, Iteration)):
        length = form.coefficient(trip)
        trips = None if trip.loop is None else facts.forms.trip_count(facts.loops[trip.loop])
        if trips is not None and length in lengths and step == length * trips:
            return True
    return False


def _is_reduction(value: Value) -> bool:
    name = value.attribute[0] if isinstance(value.attribute, tuple) else None
    return value.op is Op.REDUCE or (value.op is Op.RESHAPED and name in REDUCTIONS | SCANS)


def prove_row_batch(
    facts: KernelFacts, ids: ProgramIds, writer: Writer, elements: int, attempt: Attempt
) -> RowBatch:
    """Goes through the conditions. Raises Declined at the first one that does not hold.

    A program is to have a tile of so many elements.
    """
    check_program_ids(ids)
    asked = ids.counted_in_helper or (ids.counts and f"line {ids.counts[0].lineno}")
    if asked:
        detail = f"{asked} reads the number of programs, which changes"
        raise refuted("rows-can-be-lifted", "program-ids-are-used", detail)
    attempt.prove("rows-can-be-lifted", "the number of programs is not used, and no helper "
                    "reads the program id")  # fmt: skip
    check_effects(facts, attempt)
    _check_memory(facts)
    names = name_rows(facts, ids, writer)
    body = lift_body(facts, names, writer)
    attempt.prove(CLAIM, "the code for one row works for several rows")
    check_races(facts, AXIS, attempt)
    launches = prove_row_launches(facts, writer, names.size, elements, attempt)
    return RowBatch(facts, body, launches)


def check_tiles(proof: RowBatch) -> None:
    """Raises Declined for what was measured to lose where a program has one row of several tiles.

    That is a loop which adds up tiles of the row, and a later one that goes through it again.
    """
    if proof.launches.are_all_short:
        return
    longer = [loop for loop in proof.facts.loops if not takes_one_turn(proof.facts, loop)]
    for loop in longer:
        again = next((o.line for o in longer if o.line > (loop.node.end_lineno or 0)), None)
        if again is not None and any(value.rank for value in loop.carried.values()):
            detail = (
                f"a row may take several tiles, which line {loop.line} sums and line {again} "
                "reads again: {several_tiles=true} permits it; measure the result"
            )
            raise unknown(CLAIM, "row-may-be-longer", detail)


def _check_memory(facts: KernelFacts) -> None:
    for effect in facts.effects:
        if effect.volatile:
            detail = f"the load in line {effect.line} is volatile"
            raise refuted(CLAIM, "volatile-load", detail)
        if effect.inlined and effect.kind in (EffectKind.STORE, EffectKind.ATOMIC):
            detail = f"the helper that line {effect.line} calls stores something"
            raise refuted(CLAIM, "not-lane-by-lane", detail)
