"""The calls of a launcher as a table shows them: times, the ratio, and how far it is to a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from tritonopt.reporting.page.heat_map import HeatMap, heat_maps, shade_of, types_of
from tritonopt.reporting.timing_table import call_labels, remarks_on

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison, Row

_WIDTH, _BAR, _STEP = 160, 8, 11
_COPY = "copy"


@dataclass(frozen=True)
class Call:
    """One line of the table."""

    label: str
    types: str
    """Types and plain values, where they are not those of all calls."""
    cells: tuple[str, ...]
    shade: str
    """Of the first cell."""
    bars: Markup
    remarks: tuple[str, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True)
class Timed:
    """All that was timed of a launcher."""

    versions: tuple[str, ...]
    columns: tuple[str, ...]
    calls: tuple[Call, ...]
    maps: tuple[HeatMap, ...]
    example: str
    """The first call in full, where the labels leave its types and shapes out."""
    has_times: bool
    has_copy: bool


def timed(found: Comparison) -> Timed:
    """Calls with losses first, then those without a difference, the largest gain last."""
    compares = len(found.versions) > 1
    rows = sorted(found.rows, key=_losses_first) if compares else list(found.rows)
    labels = call_labels(rows) if rows else []
    types = {types_of(row) for row, label in zip(rows, labels, strict=True) if label != row.label}
    table = _Columns(found.versions, any(row.copy is not None for row in rows))
    calls = tuple(
        _call(row, label, len(types) > 1, table) for row, label in zip(rows, labels, strict=True)
    )
    return Timed(
        found.versions,
        table.titles,
        calls,
        heat_maps(found.rows) if compares else (),
        rows[0].label if len(types) == 1 else "",
        any(row.times for row in rows),
        table.has_copy,
    )


def saved(row: Row, versions: Sequence[str]) -> float | None:
    """Microseconds that one call takes less in the second version; below 0 it takes more."""
    if len(versions) < 2 or any(name not in row.times for name in versions[:2]):
        return None
    before, after = (row.times[name].median for name in versions[:2])
    return before - after


def saved_text(microseconds: float) -> str:
    """With its sign."""
    text = time_text(abs(microseconds))
    nothing = text == time_text(0.0)  # which has no sign
    return f"-{text}" if microseconds < 0 and not nothing else text


def time_text(microseconds: float) -> str:
    """In a unit that a person reads."""
    if microseconds >= 10_000:
        return f"{microseconds / 1000:.2f} ms"
    return f"{microseconds:.2f} µs"


def _losses_first(row: Row) -> tuple[int, float]:
    return (0, 0.0) if row.ratio is None else (1, row.ratio.value)


@dataclass(frozen=True)
class _Columns:
    """What the table has beside the call and the bars."""

    versions: tuple[str, ...]
    has_copy: bool

    @property
    def titles(self) -> tuple[str, ...]:
        names = self.versions
        titles = [" / ".join(names), "95 % interval", "saved"] if len(names) > 1 else []
        titles += names
        titles += [f"copy / {name}" for name in names if self.has_copy]
        return tuple(titles)

    def cells(self, row: Row) -> tuple[str, ...]:
        cells: list[str] = []
        if len(self.versions) > 1:
            ratio, less = row.ratio, saved(row, self.versions)
            cells.append("-" if ratio is None else f"{ratio.value:.3f}x")
            cells.append("-" if ratio is None else f"{ratio.low:.3f} to {ratio.high:.3f}")
            cells.append("-" if less is None else saved_text(less))
        for name in self.versions:
            cells.append(time_text(row.times[name].median) if name in row.times else "-")
        shares = [row.copy_share(name) for name in self.versions if self.has_copy]
        cells += ["-" if share is None else f"{share:.0%}" for share in shares]
        return tuple(cells)


def _call(row: Row, label: str, with_types: bool, table: _Columns) -> Call:
    return Call(
        label,
        types_of(row) if with_types and label != row.label else "",
        table.cells(row),
        shade_of(row.ratio) if len(table.versions) > 1 else "",
        _bars(row, table.versions),
        (*row.notes, *remarks_on(row, "µs")),
        tuple(f"{name}: {why}" for name, why in row.failures.items()),
    )


def _bars(row: Row, versions: Sequence[str]) -> Markup:
    """Bars as long as the times, each of them below 100 % of the longest."""
    bars = [
        (name, f"v{at}", row.times[name].median)
        for at, name in enumerate(versions)
        if name in row.times
    ]
    bars += [(_COPY, "copy", row.copy)] if row.copy is not None else []
    if not bars:
        return Markup()
    longest = max(time for _, _, time in bars) or 1.0
    said = ", ".join(f"{name} {time_text(time)}" for name, _, time in bars)
    drawn = Markup().join(
        Markup('<rect class="{}" y="{}" width="{}" height="{}"/>').format(
            name, at * _STEP, max(round(_WIDTH * time / longest, 1), 1), _BAR
        )
        for at, (_, name, time) in enumerate(bars)
    )
    height = len(bars) * _STEP
    return Markup(
        '<svg role="img" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}">{}</svg>'
    ).format(said, _WIDTH, height, _WIDTH, height, drawn)
