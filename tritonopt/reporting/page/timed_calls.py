"""The calls of a launcher as a table shows them: times, the ratio, and how far it is to a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from tritonopt.reporting.page.heat_map import HeatMap, heat_maps, shade_of
from tritonopt.reporting.timing_table import call_labels, remarks_on

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison, Row

_WIDTH, _BAR, _STEP = 160, 8, 11
_COPY, _MATRIX = "copy", "matmul"


@dataclass(frozen=True)
class Call:
    """One line of the table."""

    label: str
    types: str
    """The whole call, where the label does not say it."""
    times: tuple[str, ...]
    saved: str
    ratio: str
    interval: str
    shade: str
    shares: tuple[str, ...]
    bars: Markup
    remarks: tuple[str, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True)
class Timed:
    """All that was timed of a launcher."""

    versions: tuple[str, ...]
    columns: tuple[str, ...]
    """Titles behind the times."""
    calls: tuple[Call, ...]
    maps: tuple[HeatMap, ...]
    has_times: bool
    has_copy: bool
    has_matrix: bool


def timed(found: Comparison) -> Timed:
    """Calls with losses first, then those without a difference, the largest gain last."""
    rows = sorted(found.rows, key=_losses_first) if len(found.versions) > 1 else list(found.rows)
    labels = call_labels(rows) if rows else []
    has_copy = any(row.copy is not None for row in rows)
    has_matrix = any(row.matrix is not None for row in rows)
    columns = [f"copy / {name}" for name in found.versions if has_copy]
    columns += [f"matmul / {name}" for name in found.versions if has_matrix]
    calls = tuple(
        _call(row, label, found.versions, has_copy, has_matrix)
        for row, label in zip(rows, labels, strict=True)
    )
    maps = heat_maps(found.rows) if len(found.versions) > 1 else ()
    has_times = any(row.times for row in rows)
    return Timed(found.versions, tuple(columns), calls, maps, has_times, has_copy, has_matrix)


def saved(row: Row, versions: Sequence[str]) -> float | None:
    """Microseconds that one call takes less in the second version; below 0 it takes more."""
    if len(versions) < 2 or any(name not in row.times for name in versions[:2]):
        return None
    before, after = (row.times[name].median for name in versions[:2])
    return before - after


def saved_text(microseconds: float) -> str:
    """With its sign."""
    sign = "-" if microseconds < 0 else ""
    return f"{sign}{time_text(abs(microseconds))}"


def time_text(microseconds: float) -> str:
    """In a unit that a person reads."""
    if microseconds >= 10_000:
        return f"{microseconds / 1000:.2f} ms"
    return f"{microseconds:.2f} µs"


def _losses_first(row: Row) -> tuple[int, float]:
    return (0, 0.0) if row.ratio is None else (1, row.ratio.value)


def _call(row: Row, label: str, versions: Sequence[str], has_copy: bool, has_matrix: bool) -> Call:
    shares = [row.copy_share(name) for name in versions if has_copy]
    shares += [row.matrix_share(name) for name in versions if has_matrix]
    ratio = row.ratio
    less = saved(row, versions)
    return Call(
        label,
        "" if label == row.label else row.label,
        tuple(time_text(row.times[name].median) if name in row.times else "-" for name in versions),
        "-" if less is None else saved_text(less),
        "-" if ratio is None else f"{ratio.value:.3f}x",
        "" if ratio is None else f"{ratio.low:.3f} to {ratio.high:.3f}",
        shade_of(ratio),
        tuple("-" if share is None else f"{share:.0%}" for share in shares),
        _bars(row, versions),
        (*row.notes, *remarks_on(row)),
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
    bars += [(_MATRIX, "matmul", row.matrix)] if row.matrix is not None else []
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
