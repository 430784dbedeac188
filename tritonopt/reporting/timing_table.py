"""What `bench` found, as a table for a person: a line for every call, what is odd below it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tritonopt.reporting.reporter import ComparisonReporter
from tritonopt.reporting.text import BOLD, GREEN, RED, YELLOW, Style

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison, Compiled, Machine, Row, Times
    from tritonopt.measurement.tuned import TunedRow

_EXPOSED = 0.2
"""Of the runs, from which on it is said that the GPU waited for the host."""
_ACCESSES = "global "
"""What the numbers of a kernel begin with that count accesses by their width."""


class TextComparison(ComparisonReporter):
    """The table on stdout."""

    def comparison(self, found: Comparison) -> None:
        for line in comparison_lines(found, Style.of(sys.stdout)):
            print(line)

    def nothing(self, reason: str) -> None:
        """A person reads the complaint."""


def comparison_lines(found: Comparison, style: Style) -> Iterator[str]:
    """The whole report, line by line."""
    width = max(map(len, found.versions))
    for version, path in zip(found.versions, found.paths, strict=True):
        yield f"{version:{width}}  {path}"
    if found.machine is not None:
        yield from _machine(found.machine, style)
    for note in found.notes:
        yield style.paint(f"note: {note}", YELLOW)
    launchers = dict.fromkeys(row.launcher for row in found.rows)
    for launcher in launchers:
        rows = [row for row in found.rows if row.launcher == launcher]
        yield ""
        yield from _table(launcher, rows, found.versions, style)
    if ratios := found.ratios:
        mean = math.exp(sum(math.log(r.value) for r in ratios) / len(ratios))
        gains, losses = sum(r.is_gain for r in ratios), sum(r.is_loss for r in ratios)
        yield ""
        yield (
            f"{len(ratios)} call{'s' * (len(ratios) > 1)}: {gains} faster, {losses} slower, "
            f"{len(ratios) - gains - losses} without a significant difference; "
            f"geometric mean {mean:.3f}x"
        )


def _machine(machine: Machine, style: Style) -> Iterator[str]:
    parts = [machine.gpu, f"torch {machine.torch}", f"triton {machine.triton}"]
    if machine.driver:
        parts.append(f"driver {machine.driver}")
    if (clocks := machine.clocks) is not None:
        at = f"{clocks.low}" if clocks.low == clocks.high else f"{clocks.low} to {clocks.high}"
        parts.append(f"{at} of {clocks.highest} MHz")
    yield ", ".join(parts)
    for note in machine.notes:
        yield style.paint(f"note: {note}", YELLOW)


def _table(
    launcher: str, rows: Sequence[Row], versions: Sequence[str], style: Style
) -> Iterator[str]:
    timed = any(row.times for row in rows)
    labels = call_labels(rows)
    width = max(len(launcher), *map(len, labels))
    if timed:
        yield style.paint(f"{launcher:{width}}{_head(rows, versions)}", BOLD)
    else:
        yield style.paint(launcher, BOLD)
    shown: dict[object, str] = {}
    """Kernels, and the row that they were shown below."""
    for label, row in zip(labels, rows, strict=True):
        yield f"{label:{width}}{_cells(row, rows, versions, style) if timed else ''}".rstrip()
        for name, why in row.failures.items():
            yield style.paint(f"    {name}: {why}", RED)
        for note in (*row.notes, *remarks_on(row)):
            yield style.paint(f"    note: {note}", YELLOW)
        if row.compiled:
            yield from _kernels(label, row, versions, shown)


def _kernels(
    label: str, row: Row, versions: Sequence[str], shown: dict[object, str]
) -> Iterator[str]:
    """The kernels of a row; where they were shown before, for which one."""
    kernels = tuple((c.version, c.kernel, c.target, c.digest, c.failure) for c in row.compiled)
    last = next(reversed(shown.values()), "")
    if kernels in shown:
        first = shown.pop(kernels)
        shown[kernels] = first  # the last one now
        if first != last:
            yield f"    kernels as for {first}"
        return
    shown[kernels] = label
    yield from (f"    {line}" for line in compiled_lines(row.compiled, versions))


def call_labels(rows: Sequence[Row | TunedRow]) -> list[str]:
    """The sizes of each call, if they tell the calls apart; else everything.

    Of calls that were seen, sizes that are equal have one name. Where one call has more names than
    another, they are of different shapes, and numbers alone would hide that.
    """
    short = [", ".join(f"{name}={size}" for name, size in row.sizes.items()) for row in rows]
    several = len({tuple(row.sizes) for row in rows}) > 1
    whole = several or "" in short or len(set(short)) < len(short)
    return [row.label for row in rows] if whole else short


def _head(rows: Sequence[Row], versions: Sequence[str]) -> str:
    cells = "".join(f"{name:>13}" for name in versions)
    if len(versions) > 1:
        cells += f"{'/'.join(versions):>16}{'95 % interval':>19}"
    if any(row.copy is not None for row in rows):
        cells += f"{'of the copy':>{8 * len(versions) + 5}}"
    return cells


def _cells(row: Row, rows: Sequence[Row], versions: Sequence[str], style: Style) -> str:
    cells = "".join(f"{_time(row.times.get(name)):>13}" for name in versions)
    if len(versions) > 1:
        if (ratio := row.ratio) is None:
            cells += f"{'-':>16}{'':19}"
        else:
            text = f"{ratio.value:.3f}x"
            color = GREEN if ratio.is_gain else RED if ratio.is_loss else ""
            text = f"{text:>16}"
            cells += style.paint(text, color) if color else text
            cells += f"{f'{ratio.low:.3f} to {ratio.high:.3f}':>19}"
    if any(each.copy is not None for each in rows):
        shares = [row.copy_share(name) for name in versions]
        cells += " " * 5 + "".join(f"{'-' if s is None else f'{s:.2f}':>8}" for s in shares)
    return cells


def _time(times: Times | None) -> str:
    if times is None:
        return "-"
    if times.median >= 10_000:
        return f"{times.median / 1000:.2f} ms"
    return f"{times.median:.2f} us"


def remarks_on(row: Row, unit: str = "us") -> Iterator[str]:
    """What a reader must know of the times of a row; `unit` is how microseconds are written."""
    for name, times in row.times.items():
        if times.modes:
            fast, slow = times.modes
            yield (
                f"{name} takes {fast.center:.2f} {unit} in {fast.share:.0%} of the runs and "
                f"{slow.center:.2f} {unit} in the others: its median is one of two"
            )
        if times.exposed > _EXPOSED:
            yield (
                f"in {times.exposed:.0%} of the runs of {name} the GPU may have waited for the "
                f"host, which takes {times.host or 0:.0f} {unit} for a launch: the time may hold "
                "some of that"
            )


def compiled_lines(compiled: Sequence[Compiled], versions: Sequence[str]) -> Iterator[str]:
    """What kernels need as machine code: one line where the versions have the same."""
    width = max((len(c.kernel) + len(c.target) + 2 for c in compiled), default=0)
    for head, versioned, same in by_kernel(compiled, versions):
        for name in versions[:1] if same else versions:
            for each in versioned.get(name, ()):
                label = "same machine code" if same else name
                yield f"{head:{width}}  {label}: {each.failure or _numbers(each)}".rstrip()


def by_kernel(
    compiled: Sequence[Compiled], versions: Sequence[str]
) -> Iterator[tuple[str, dict[str, list[Compiled]], bool]]:
    """For each kernel and target what they are called, what each version has, and whether all
    versions have the same."""
    groups: dict[tuple[str, str], dict[str, list[Compiled]]] = {}
    for each in compiled:
        versioned = groups.setdefault((each.kernel, each.target), {})
        versioned.setdefault(each.version, []).append(each)
    for (kernel, target), versioned in groups.items():
        digests = {tuple(c.digest for c in versioned.get(name, ())) for name in versions}
        same = len(versions) > 1 and len(digests) == 1 and all(map(all, digests))
        yield f"{kernel}, {target}", versioned, same


def _numbers(compiled: Compiled) -> str:
    numbers = compiled.numbers
    parts = []
    if "registers" in numbers:
        parts.append(f"{numbers['registers']} registers")
    spills = numbers.get("stack bytes (spills)", 0)
    parts.append(f"{spills} bytes spilled" if spills else "no spills")
    parts.append(f"{numbers.get('shared bytes', 0)} bytes shared")
    if "instructions" in numbers:
        parts.append(f"{numbers['instructions']} instructions")
    if barriers := numbers.get("barriers"):
        parts.append(f"{barriers} barriers")
    accesses = [name for name in numbers if name.startswith(_ACCESSES)]
    parts += [f"{numbers[name]} {name.removeprefix(_ACCESSES)}" for name in sorted(accesses)]
    return ", ".join(parts)
