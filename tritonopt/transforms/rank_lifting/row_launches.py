"""What the launches of a kernel say of its rows, and what becomes of them: fewer programs each."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import unknown
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.turns import is_at_least, is_at_most
from tritonopt.facts.operations import Op
from tritonopt.launches.known_launches import (
    NumberAtLaunch,
    check_builtin,
    check_numbers,
    check_parameter,
    extents_of,
    number_at_launch,
)
from tritonopt.launches.launch_grids import Extent, given_by, names_in, new_name
from tritonopt.launches.plan import LaunchPlan
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.launches.pruning import in_tuner_keys
from tritonopt.source import (
    AddArgument,
    AddParameter,
    Change,
    InsertBefore,
    Launch,
    ReplaceExpression,
)
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import in_parentheses
from tritonopt.transforms.rank_lifting.fitted_tile import FittedTile
from tritonopt.transforms.rank_lifting.lifted_part import AXIS, LiftedPart
from tritonopt.transforms.writing import Writer, names_bound

_COMMENT = "# A power of two, with which programs enough remain."
_LONG = 76
"""What is longer is written on several lines."""


@dataclass(frozen=True)
class Batching:
    """How many rows a program is to have."""

    elements: int
    """As many as give a program about so many elements of a tile."""
    programs: int
    """But not so many that fewer programs than this remain."""

    @property
    def longest(self) -> int:
        """The longest tile of a row that is batched: fewer than four rows were a loss."""
        return self.elements // 4


@dataclass(frozen=True)
class RowLaunch:
    """What was shown of one launch."""

    facts: KernelFacts = field(repr=False)
    extent: Extent
    """How many programs it starts, which is one for each row."""
    tiles: tuple[str | int, ...]
    """How long the tiles of a row are: numbers, or code that stands at the launch."""
    only_if: str
    """What holds where a program may have several rows; "" where it always may."""

    @property
    def launch(self) -> Launch:
        return self.extent.launch

    def may_be_long(self, batching: Batching) -> bool:
        """Whether it may have rows that keep a program each."""
        facts, most = self.facts, batching.longest
        return not all(is_at_most(facts, length, most, self.launch) for length in _lengths(facts))

    def is_long(self, batching: Batching) -> bool:
        """Whether no row is short."""
        facts, least = self.facts, batching.longest + 1
        known = (is_at_least(facts, length, least, self.launch) for length in _lengths(facts))
        return _least(self.tiles) >= least or any(known)

    def where_short(self, batching: Batching) -> str:
        """Code for where a program may have several rows; "" where it always may."""
        is_code = any(isinstance(tile, str) for tile in self.tiles)
        if not is_code or not self.may_be_long(batching):
            return self.only_if
        return _only_if(self.only_if, _longest(self.tiles), batching.longest)

    def named(self) -> tuple[RowLaunch, list[Change], list[Change]]:
        """The launch with a name for a tile that it computes, and what binds and what passes it.

        Each is written several times otherwise. Raises NotExpressible.
        """
        named: list[Change] = []
        passed: list[Change] = []
        names: dict[str | int, str | int] = {}
        for parameter, argument in given_by(self.launch).items():
            code = self.launch.module.text_of(argument)
            is_computed = any(isinstance(node, (ast.Call, ast.BinOp)) for node in walk(argument))
            if self.only_if or code not in self.tiles or not is_computed:
                continue
            if code not in names:
                names[code] = new_name(parameter.lower(), self.launch)
                said = f"{names[code]} = {in_parentheses(code)}"
                named.append(InsertBefore(PlannedLaunch(self.launch).statement, said))
            passed.append(ReplaceExpression(argument, str(names[code])))
        return replace(self, tiles=tuple(names.get(t, t) for t in self.tiles)), named, passed


@dataclass(frozen=True)
class RowLaunches:
    """What was shown of the launches."""

    facts: KernelFacts = field(repr=False)
    size: str
    """The constexpr that says how many rows a program has."""
    count: str
    """How many rows there are, in the kernel's own terms."""
    is_passed: bool
    """`count` is a new parameter."""
    launches: tuple[RowLaunch, ...]
    known_tiles: frozenset[int]
    """The lengths of tiles, where they are seen to be numbers at each launch; else empty."""
    fitted: FittedTile | None = None
    """The tile that short rows get, where all launches make it long."""

    @property
    def summary(self) -> str:
        one = len(self.launches) == 1
        return "the launch divides its grid" if one else "each launch divides its grid"

    @property
    def parameters(self) -> list[Change]:
        """The new parameters of the kernel. Raises Declined."""
        kernel = self.facts.kernel
        changes: list[Change] = [AddParameter(kernel, self._parameter)]
        if self.is_passed:
            has_default = any(p.default is not None for p in kernel.parameters)
            default = "=None" if has_default else ""
            changes.insert(0, AddParameter(kernel, f"{self.count}{default}"))
        return [*changes, *in_tuner_keys(self.facts, self.size)]

    def changes(self, batching: Batching, kernel: str = "") -> list[Change]:
        """The launches; where rows are short, those of `kernel`, if there is one for them.

        Raises NotExpressible.
        """
        changes: list[Change] = []
        for row in self.launches:
            for name in ("max", "min", "triton"):
                check_builtin(row.launch, name)
            if kernel:
                changes += self._either(row, batching, kernel)
            else:
                changes += self._edited(row, batching)
        return changes

    @property
    def longest_tile(self) -> int:
        """What the longest tile of a row has at least, at each launch."""
        return min(_least(row.tiles) for row in self.launches)

    def may_be_long(self, batching: Batching) -> bool:
        """Whether a launch may have rows that keep a program each."""
        return any(row.may_be_long(batching) for row in self.launches)

    def are_few(self, batching: Batching) -> bool:
        """Whether each launch says that it has too few rows for several to a program."""
        said = [row.extent.at_launch() for row in self.launches]
        return all(
            rows is not None and rows.isdecimal() and int(rows) < 2 * batching.programs
            for rows in said
        )

    def are_long(self, batching: Batching) -> bool:
        """Whether each launch stands where rows are not short, which another one is for."""
        for row in self.launches:
            if self.fitted is not None:
                short = self.fitted.only_if(row.launch, batching.longest)
            elif row.is_long(batching):
                continue
            else:
                short = row.where_short(batching)
            if not short or not PlannedLaunch(row.launch).is_after(short):
                return False
        return True

    @property
    def _taken(self) -> dict[str, bool]:
        """The parameters of the new kernel, and whether each has a default."""
        taken = {p.name: p.default is not None for p in self.facts.kernel.parameters}
        return taken | ({self.count: False} if self.is_passed else {}) | {self.size: True}

    @property
    def _parameter(self) -> str:
        kernel = self.facts.kernel
        annotations = [
            kernel.module.text_of(p.annotation)
            for p in kernel.parameters
            if p.constexpr and p.annotation is not None
        ]
        annotation = annotations[-1] if annotations else Writer(self.facts).language("constexpr")
        return f"{self.size}: {annotation} = 1"

    def _edited(self, row: RowLaunch, batching: Batching) -> list[Change]:
        number = number_at_launch(row.extent, "num_rows")
        name = new_name("rows_per_program", row.launch)
        row, named, passed = row.named()
        tile, only_if = _most(row.tiles), row.where_short(batching)
        rows = "1" if row.is_long(batching) else _batched(number.code, tile, batching, only_if)
        said = InsertBefore(PlannedLaunch(row.launch).statement, f"{_COMMENT}\n{name} = {rows}")
        return [*number.changes, *named, *passed, said, *self._fewer(row.extent, number, name)]

    def _fewer(self, extent: Extent, number: NumberAtLaunch, rows: str) -> list[Change]:
        """A launch of as many programs as take so many rows each."""
        call = extent.launch.call
        changes = extent.wrapped(lambda count: f"triton.cdiv({count}, {rows})", number.bound_to)
        if self.is_passed:
            changes.append(AddArgument(call, f"{self.count}={number.code}"))
        changes.append(AddArgument(call, f"{self.size}={rows}"))
        return changes

    def _either(self, row: RowLaunch, batching: Batching, kernel: str) -> list[Change]:
        """A launch of `kernel` where the tiles are short, and the launch as it was where not."""
        launch, at = row.launch, PlannedLaunch(row.launch)
        extent = replace(row.extent, stays=True)
        fits: list[Change] = []
        named: list[Change] = []
        passed: list[Change] = []
        bound = ""
        if self.fitted is not None:
            only_if = self.fitted.only_if(launch, batching.longest)
            tile = new_name(self.fitted.parameter.lower(), launch)
            bound = f"{tile} = {self.fitted.length(launch)}\n"
            fits.append(self.fitted.passed(launch, tile))
        elif row.is_long(batching):
            return []
        else:
            row, named, passed = row.named()
            tile, only_if = _most(row.tiles), row.where_short(batching)
        number = number_at_launch(extent, "num_rows")
        rows = new_name("rows_per_program", launch)
        changes = [*fits, *passed, *self._fewer(extent, number, rows)]
        said = f"{bound}{_COMMENT}\n{rows} = {_batched(number.code, tile, batching)}"
        if not only_if:
            assert at.called is not None
            changes.append(ReplaceExpression(at.called, kernel))
            return [*number.changes, *named, InsertBefore(at.statement, said), *changes]
        kept = list(passed)
        if number.changes and extent.expression is not None:
            kept.append(ReplaceExpression(extent.expression, number.code))
        found = at.either(only_if, kernel, self._taken, changes, first=said, otherwise=kept)
        return [*number.changes, *named, *found]


def _least(tiles: tuple[str | int, ...]) -> int:
    """What the longest of several tiles has at least. An empty row may have a tile of none."""
    return max((tile for tile in tiles if isinstance(tile, int)), default=1)


def _longest(tiles: tuple[str | int, ...]) -> str:
    """Code for the longest of several tiles, of which some are code."""
    return str(tiles[0]) if len(tiles) == 1 else _most(tiles)


def _most(tiles: tuple[str | int, ...]) -> str:
    """Code for the longest of several tiles, at least 1."""
    least = _least(tiles)
    codes = [tile for tile in tiles if isinstance(tile, str)]
    return f"max({', '.join([*codes, str(least)])})" if codes else str(least)


def _batched(count: str, tile: str, batching: Batching, only_if: str = "") -> str:
    """Code for the rows of a program: a power of two, as the length of a tile is."""
    count = in_parentheses(count)
    share = count if batching.programs == 1 else f"{count} // {batching.programs}"
    fitting = f"{batching.elements} // {tile}"
    most = [
        str(batching.elements // int(tile)) if tile.isdecimal() else fitting,
        f"triton.next_power_of_2({share} + 1) // 2",
    ]
    parts = [f"max(1, min({', '.join(most)}))"]
    if only_if:
        parts += [f"if {only_if}", "else 1"]
    code = " ".join(parts)
    if len(code) <= _LONG:
        return code
    if not only_if:
        return f"max(\n    1,\n    min({most[0]}, {most[1]}),\n)"
    if len(parts[0]) > _LONG:
        parts[0] = f"max(\n        1,\n        min({most[0]}, {most[1]}),\n    )"
    return "(\n    " + "\n    ".join(parts) + "\n)"


def _only_if(condition: str, tile: str, longest: int) -> str:
    """Code for a condition, and for a tile that is not too long; where both ask for the tile, once.

    `n <= block` and `block <= 512` are `n <= block <= 512`.
    """
    if isinstance(_parsed(tile), (ast.IfExp, ast.BoolOp, ast.Compare)):
        tile = f"({tile})"
    if not condition:
        return f"{tile} <= {longest}"
    match _parsed(condition):
        case ast.Compare(comparators=[*_, last]) if ast.dump(last) == ast.dump(_parsed(tile)):
            return f"{condition} <= {longest}"
    return f"{condition} and {tile} <= {longest}"


def _parsed(code: str) -> ast.expr:
    return parsed(code, mode="eval").body


def prove_row_launches(
    facts: KernelFacts, part: LiftedPart, writer: Writer, size: str, attempt: Attempt
) -> RowLaunches:
    """Whether every launch is seen and can start fewer programs. Raises Declined."""
    plan = LaunchPlan.of(facts, attempt)
    extents = extents_of(facts, AXIS)
    check_numbers(extents)
    check_parameter(facts)
    tiles = [_tiles(facts, at) for at in plan]
    count = _count(facts, writer, extents)
    if count:
        attempt.prove("grid-is-known", f"every launch starts {count} programs")
    else:
        attempt.prove("grid-is-known", "each launch passes its own number of programs")
    attempt.assume_no_other_launches()
    parameter = count or writer.fresh("num_rows", "NUM_ROWS")
    conditions = part.conditions or ("",) * len(extents)
    found = (RowLaunch(facts, *of) for of in zip(extents, tiles, conditions, strict=True))
    known = _known_tiles(facts, tiles)
    return RowLaunches(facts, size, parameter, not count, tuple(found), known)


def _count(facts: KernelFacts, writer: Writer, extents: tuple[Extent, ...]) -> str:
    """The number of rows as the kernel may compute it; "" where each launch is to pass it."""
    texts = {extent.in_kernel_terms(writer.language("cdiv")) for extent in extents}
    text = texts.pop() if len(texts) == 1 else None
    if text is None:
        return ""
    tree = _parsed(text)
    # A quotient that rounds up adds to the length first, which may not fit 32 bits.
    divides = any(isinstance(node, ast.Call) for node in walk(tree))
    bound = names_bound(facts.kernel.node) | facts.pointers
    return "" if divides or set(names_in(tree)) & bound else text


def _lengths(facts: KernelFacts) -> set[Value]:
    """The lengths of the tiles of a row, as the kernel has them."""
    return {v.extent for v in facts.interpretation.computed if v.op is Op.LANE}


def _tiles(facts: KernelFacts, at: PlannedLaunch) -> tuple[str | int, ...]:
    """How long the tiles of a row are at a launch. Raises Declined."""
    found = {_length(at, length) for length in _lengths(facts)}
    return tuple(sorted(found, key=str))


def _known_tiles(facts: KernelFacts, tiles: Sequence[tuple[str | int, ...]]) -> frozenset[int]:
    """The lengths of tiles as numbers: of what stands at the launches, or of what it comes to."""
    written = {tile for of_launch in tiles for tile in of_launch}
    if not any(isinstance(tile, str) for tile in written):
        return frozenset(tile for tile in written if isinstance(tile, int))
    passed = {
        substitute(facts.forms.of(length), binding).constant_value
        for length in _lengths(facts)
        for binding in facts.launches.bindings
    }
    return frozenset(int(number) for number in passed if number is not None and None not in passed)


def _length(at: PlannedLaunch, length: Value) -> str | int:
    if isinstance(length.constant, int):
        return length.constant
    is_parameter = length.attribute in {p.name for p in at.launch.kernel.parameters}
    passed = at.passed(length.name) if length.op is Op.CONSTEXPR and is_parameter else None
    if passed is None:
        detail = f"how long a tile is, is not passed by the launch in {at.launch.where}"
        raise unknown("length-is-known-at-the-launch", "tile-is-not-passed", detail)
    if isinstance(passed, ast.Constant) and type(passed.value) is int and passed.value > 0:
        return passed.value
    return at.launch.module.text_of(passed)
