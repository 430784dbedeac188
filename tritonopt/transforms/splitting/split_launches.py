"""What the launches of a kernel say of its rows, and how they start several programs for each."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.launches.known_launches import (
    NumberAtLaunch,
    arguments_for,
    check_binding,
    check_builtin,
    check_numbers,
    check_parameter,
    extents_of,
    number_at_launch,
)
from tritonopt.launches.launch_grids import Extent, new_name
from tritonopt.launches.plan import LaunchPlan
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.source import (
    AddArgument,
    Change,
    InsertAfter,
    InsertBefore,
    ReplaceExpression,
)
from tritonopt.source.editing.width import line_width
from tritonopt.transforms.code_edits import in_parentheses, on_lines
from tritonopt.transforms.splitting.atomic_store import AtomicStore
from tritonopt.transforms.splitting.split_sums import Accumulator, SplitLoop
from tritonopt.transforms.tiling.tile_limits import Limit
from tritonopt.transforms.writing import NotExpressible

_MOST = 4096
"""So many programs to a row at most, and ..."""
_LARGEST = 16384
"""... elements of the tile in which what they found is combined."""
_FEW = 64
"""Programs of a launch that leave most multiprocessors of a large GPU with nothing to do."""
_TYPES = {"fp32": "float32", "fp64": "float64", "int32": "int32", "int64": "int64"}
_COMMENT = "# Programs per row, a power of two: 1 where rows are many or short."


@dataclass(frozen=True)
class Splitting:
    """How many programs a row is to have."""

    programs: str
    """As many as make so many in all: a number, or `sm*8` for 8 a multiprocessor."""
    turns: int
    """But not so many that one has fewer iterations."""


@dataclass(frozen=True)
class NewNames:
    """What the new parameters of the kernel are called, and the new kernel."""

    size: str
    """The constexpr that says how many programs a row has."""
    partials: tuple[str, ...]
    """By accumulator, the buffer for what the programs of a row have found."""
    final: str
    """The kernel that combines it."""
    plain: tuple[str, ...] = ()
    """The parameters of the kernel that it takes as well, ..."""
    optional: tuple[str, ...] = ()
    """... and those of them that have a default."""

    @property
    def order(self) -> dict[str, bool]:
        """The parameters of the new kernel, and whether each has a default."""
        needed = [*self.partials, *self.plain, self.size]
        return {**dict.fromkeys(needed, False), **dict.fromkeys(self.optional, True)}


@dataclass(frozen=True)
class SplitLaunches:
    """What was shown of the launches."""

    split: SplitLoop
    axes: int
    """How many axes the grids have."""
    extents: tuple[tuple[Extent, ...], ...]
    """By launch, how many programs it starts along each."""

    @property
    def summary(self) -> str:
        one = len(self.extents) == 1
        return "the launch decides" if one else "each launch decides"

    def changes(
        self, names: NewNames, splitting: Splitting, atomic: AtomicStore | None = None
    ) -> list[Change]:
        """The launches. Raises Declined where something has no expression there."""
        found: list[Change] = []
        for extents in self.extents:
            found += _SplitLaunch(self.split, extents, names, splitting, atomic).changes()
        return found


def prove_launches(split: SplitLoop, attempt: Attempt) -> SplitLaunches:
    """Whether every launch is seen and may start other programs. Raises Declined."""
    facts = split.facts
    LaunchPlan.of(facts, attempt)
    axes = _axes(facts)
    extents = [extents_of(facts, axis) for axis in range(axes)]
    for of_axis in extents:
        check_numbers(of_axis)
    check_parameter(facts)
    ids = ProgramIds.of(facts.kernel, axes)
    if ids.calls or ids.counts or ids.in_helper or ids.counted_in_helper or ids.unknown is not None:
        text = f"the kernel may ask for its program along axis {axes}, which is to be a new one"
        raise unknown("grid-is-known", "axis-is-taken", text)
    attempt.prove("grid-is-known", f"each launch has a grid of {axes}, and may have one more")
    attempt.assume_no_other_launches()
    return SplitLaunches(split, axes, tuple(zip(*extents, strict=True)))


def _axes(facts: KernelFacts) -> int:
    """How many axes the grids have: the same number at each launch, and one less than three."""
    found = {extent.axes for extent in extents_of(facts, 0)}
    if len(found) != 1 or found & {0, 3}:
        text = "the launches have grids of several kinds, or of three axes already"
        raise unknown("grid-is-known", "axis-is-taken", text)
    return found.pop()


@dataclass(frozen=True)
class _SplitLaunch:
    """One launch."""

    split: SplitLoop
    extents: tuple[Extent, ...]
    names: NewNames
    splitting: Splitting
    atomic: AtomicStore | None

    @property
    def _at(self) -> PlannedLaunch:
        return PlannedLaunch(self.extents[0].launch)

    @cached_property
    def _width(self) -> int:
        """Of a line that stands where the launch does."""
        return line_width(self._at.launch.module) - self._at.statement.col_offset

    def changes(self) -> list[Change]:
        launch, statement = self._at.launch, self._at.statement
        for name in ("max", "min", "triton", "torch"):
            check_builtin(launch, name)
        wanted = ("num_tiles", "num_columns")
        numbers = [number_at_launch(*pair) for pair in zip(self.extents, wanted, strict=False)]
        most, changes = Limit(self.splitting.programs).at(launch)
        changes = [change for number in numbers for change in number.changes] + changes
        splits = new_name("splits", launch)
        rows = " * ".join(in_parentheses(number.code) for number in numbers)
        code = self._number_of_splits(splits, rows, most)
        buffers = [new_name(partial, launch) for partial in self.names.partials]
        if len(set(buffers)) < len(buffers):
            raise NotExpressible(f"line {launch.call.lineno} has names like those of the buffers")
        made = self._allocated(buffers, rows, splits)
        code += f"\n{made if self.atomic is None else self._filled(self.atomic, splits)}"
        changes.append(InsertBefore(statement, code))
        changes.append(ReplaceExpression(launch.grid, self._grid(numbers, splits)))
        passed = zip(self.names.partials, buffers, strict=True)
        changes += [AddArgument(launch.call, f"{name}={buffer}") for name, buffer in passed]
        changes.append(AddArgument(launch.call, f"{self.names.size}={splits}"))
        if self.atomic is None:
            changes.append(InsertAfter(statement, self._final(numbers, buffers, splits)))
        return changes

    def _filled(self, atomic: AtomicStore, splits: str) -> str:
        """The statement that stores the identity, from which the programs of a row begin."""
        if "float(" in atomic.identity:
            check_builtin(self._at.launch, "float")
        output = self._at.argument(atomic.output)
        return f"if {splits} > 1:\n    {output}.fill_({atomic.identity})"

    def _number_of_splits(self, name: str, rows: str, most: str) -> str:
        """The statement that computes how many programs a row has."""
        loop = self.split.loop
        assert loop.start is not None and loop.stop is not None and loop.step is not None
        start, stop, step = map(self._at.number, (loop.start, loop.stop, loop.step))
        length = stop if start == "0" else f"{in_parentheses(stop)} - {in_parentheses(start)}"
        turns = in_parentheses(length) if step == "1" else f"triton.cdiv({length}, {step})"
        if self.splitting.turns > 1:
            turns = f"{turns} // {self.splitting.turns}"
        rows = rows if rows.isdigit() else f"max(1, {rows})"
        share = most if rows == "1" else f"{in_parentheses(most)} // {rows}"
        least = f"min({self._most()}, {share}, {turns})"
        code = f"{name} = max(1, triton.next_power_of_2({least} + 1) // 2)"
        if len(code) > self._width:
            code = on_lines(f"{name} = {least}", self._width)
            code += f"\n{name} = max(1, triton.next_power_of_2({name} + 1) // 2)"
        return f"{_COMMENT}\n{code}"

    def _most(self) -> str:
        """The most splits of a row, so that their results fit one tile."""
        sizes = {" * ".join(self._extents_of(a)) for a in self.split.accumulators}
        widths = [size if size.isdigit() else in_parentheses(size) for size in sizes if size]
        found = [f"{_LARGEST} // {width}" for width in sorted(widths)]
        return ", ".join([str(_MOST), *found])

    def _extents_of(self, accumulator: Accumulator) -> list[str]:
        return [in_parentheses(self._at.number(extent)) for extent in accumulator.left]

    def _allocated(self, buffers: Sequence[str], rows: str, splits: str) -> str:
        """The statements that make the buffers for what the programs find."""
        made: list[str] = []
        if not buffers:
            return ""
        for accumulator, buffer in zip(self.split.accumulators, buffers, strict=True):
            sizes = [part for part in (rows, splits) if part != "1"]
            shape = ", ".join([*sizes, *self._extents_of(accumulator)])
            dtype = f"torch.{_TYPES[accumulator.dtype]}"
            made.append(f"{buffer} = torch.empty({shape}, dtype={dtype}, device={self._device()})")
        one = f"{made[0]} if {splits} > 1 else None"
        if len(made) == 1 and len(one) <= self._width:
            return one
        inside = textwrap.indent("\n".join(on_lines(m, self._width - 4) for m in made), "    ")
        return f"{' = '.join(buffers)} = None\nif {splits} > 1:\n{inside}"

    def _device(self) -> str:
        """Code for the device of a tensor that the kernel surely reads or writes."""
        facts = self.split.facts
        for effect in facts.effects:
            bases = facts.bases(effect) or frozenset()
            if effect.guards or effect.inlined or len(bases) != 1:
                continue
            passed = self._at.passed(next(iter(bases)))
            if isinstance(passed, ast.Name):
                return f"{passed.id}.device"
        raise NotExpressible(f"no tensor has a name at the launch in {self._at.launch.where}")

    def _grid(self, numbers: Sequence[NumberAtLaunch], *more: str) -> str:
        """Code for the grid of the launch, with more axes."""
        extent = self.extents[0]
        if extent.name and not extent.meta:
            return f"(*{extent.name}, {', '.join(more)})" if more else extent.name
        parts = [*(number.code for number in numbers), *more]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def _final(self, numbers: Sequence[NumberAtLaunch], buffers: Sequence[str], splits: str) -> str:
        """The launch of the kernel that combines what was found."""
        given = dict(zip(self.names.partials, buffers, strict=True))
        named = {self.names.size, *self.names.optional}
        for parameter in self.split.facts.kernel.parameters:
            name = parameter.name
            named |= {name} if parameter.constexpr else set()
            if name in self.names.order and not self._is_left_out(name):
                given[name] = self._at.argument(name)
        given[self.names.size] = splits
        arguments = arguments_for(self.names.order, given, named)
        more: list[str] = []
        if self.split.second is not None:
            more = [splits]
            arguments += self._options()
        code = f"{self.names.final}[{self._grid(numbers, *more)}]({', '.join(arguments)})"
        check_binding(self._at.launch, code, self.names.order)
        return f"if {splits} > 1:\n" + textwrap.indent(on_lines(code, self._width - 4), "    ")

    def _options(self) -> Iterator[str]:
        """How many warps the launch asks for, and the like: the second kernel has the same loop."""
        module = self._at.launch.module
        for keyword in self._at.launch.call.keywords:
            if keyword.arg in ("num_warps", "num_stages"):
                if not self._at.repeats(keyword.value):
                    raise NotExpressible(f"line {keyword.value.lineno} computes {keyword.arg}")
                yield f"{keyword.arg}={module.text_of(keyword.value)}"

    def _is_left_out(self, name: str) -> bool:
        """Whether the launch leaves a parameter to its default, which the new kernel has too."""
        return name not in self._at.launch.arguments and self._at.default(name) is not None
