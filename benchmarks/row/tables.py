"""The tables of a record, as Markdown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.row.plan import COMPILED, COPY, EAGER, LIGER, ORIGINAL

OTHERS = (LIGER, EAGER, COMPILED)
LOSS = 0.98
"""A ratio below this, where nine of ten neighboring runs lost, is a loss."""
LENGTHS = {
    "up to 128": range(129),
    "256, 512": range(129, 513),
    "1024, 2048": range(513, 2049),
    "4096 to 32768": range(2049, 32769),
    "longer": range(32769, 2**31),
}
"""Rows that gain from the same rewrites, by the number of their elements."""
ONE_TILE = 32768
"""Elements of the longest row that is counted as fitting one tile."""

Timed = dict[str, Any]
"""A cell of the record."""


@dataclass(frozen=True)
class Aim:
    """What is aimed at, where, and how near it is."""

    what: str
    mean: float | None
    least: float | None
    of: Callable[[Timed], float | None]
    """The ratio of a cell; nothing where the aim does not apply to it."""


class Report:
    """The cells that were timed, and what they come to."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.cells: list[Timed] = [cell for cell in record["cells"] if "us" in cell]
        self.operations = list(dict.fromkeys(cell["operation"] for cell in self.cells))
        self.variants = [
            name for name in record["variants"] if any(name in cell["us"] for cell in self.cells)
        ]
        self.l2 = record["l2_megabytes"] * 2**20

    def best(self, cell: Timed) -> float:
        """The time of the fastest among the original and its rewrites."""
        times: list[float] = [cell["us"][name] for name in (ORIGINAL, *self.variants)
                              if name in cell["us"]]  # fmt: skip
        return min(times)

    def against(self, cell: Timed, other: str, ours: str | None = None) -> float | None:
        """The time of another one by ours, the best one unless it is named."""
        took, own = cell["us"].get(other), cell["us"].get(ours) if ours else self.best(cell)
        return None if took is None or own is None else took / own

    def share(self, cell: Timed, name: str | None = None) -> float | None:
        """Of the bandwidth of the copy; nothing where the cache could hold the data."""
        if cell["bytes"] <= self.l2:
            return None
        took = self.best(cell) if name is None else cell["us"].get(name)
        return None if took is None else cell["us"][COPY] / took

    def ratios(self, name: str, lengths: range) -> list[float]:
        """Original time / that of a rewrite, where it changes what runs, for rows so long."""
        return [
            cell["ratios"][name][0]
            for cell in self.cells
            if name in cell["ratios"] and cell["length"] in lengths
        ]

    def losses(self, name: str) -> list[Timed]:
        """The cells in which a rewrite was slower than the original, the worst first."""
        found = [
            cell
            for cell in self.cells
            if name in cell["ratios"]
            and cell["ratios"][name][0] < LOSS
            and cell["ratios"][name][2] < 1
        ]
        return sorted(found, key=lambda cell: cell["ratios"][name][0])

    def aims(self) -> list[Aim]:
        def copied(least: int, most: int) -> Callable[[Timed], float | None]:
            return lambda c: self.share(c) if least <= c["length"] <= most else None

        return [
            Aim("share of the copy, rows of 4096 to 32768", None, 0.95, copied(4096, ONE_TILE)),
            Aim("share of the copy, rows of at most 128", None, 0.90, copied(0, 128)),
            Aim("share of the copy, other rows in one tile", None, 0.85, copied(129, 4095)),
            Aim("share of the copy, longer rows", None, None, copied(ONE_TILE + 1, 2**30)),
            Aim(f"{COMPILED} / ours", 1.0, 0.9, lambda c: self.against(c, COMPILED)),
            Aim(f"{LIGER} / ours", None, 0.98, lambda c: self.against(c, LIGER)),
            Aim(f"{EAGER} / ours", None, None, lambda c: self.against(c, EAGER)),
        ]


def tables(path: Path) -> str:
    report = Report(json.loads(path.read_text(encoding="utf-8")))
    parts = (_about, by_length, _alone, _by_version, _others, _aims, _losses, _left_out)
    return "\n\n".join("\n".join(part(report)) for part in parts)


def _about(report: Report) -> Iterator[str]:
    known = report.record
    yield (
        f"{len(report.cells)} cells on one {known['gpu']}, Triton {known['triton']}, "
        f"torch {known['torch']} ({known['compile']['mode']}), {known['date']}."
    )


def by_length(report: Report) -> Iterator[str]:
    """Each version by the length of rows: geometric mean, worst and best."""
    yield from _table(
        ["elements of a row", *(f"`{report.record['variants'][v]}`" for v in report.variants)],
        (
            [name, *(_ends(report.ratios(variant, lengths)) for variant in report.variants)]
            for name, lengths in LENGTHS.items()
        ),
    )


def _ends(seen: Sequence[float]) -> str:
    if not seen:
        return ""
    return f"{statistics.geometric_mean(seen):.2f} ({min(seen):.2f} .. {max(seen):.2f})"


def _alone(report: Report) -> Iterator[str]:
    yield "Original time / rewritten time: geometric mean, worst and best, and losses of all cells."
    yield ""
    yield from _table(
        ["operation", *report.variants],
        (
            [name, *(_spread(report, name, variant) for variant in report.variants)]
            for name in report.operations
        ),
    )


def _spread(report: Report, operation: str, variant: str) -> str:
    seen = [
        cell["ratios"][variant][0]
        for cell in report.cells
        if cell["operation"] == operation and variant in cell["ratios"]
    ]
    if not seen:
        return ""
    lost = sum(cell["operation"] == operation for cell in report.losses(variant))
    return f"{_ends(seen)}, {lost} of {len(seen)}"


def _by_version(report: Report) -> Iterator[str]:
    yield "Each version over all cells in which it was timed: time of others / its own, and its"
    yield "share of the copy's bandwidth where the data exceed the cache (geometric mean, worst)."
    yield ""
    rows = [
        [
            name,
            *(
                _mean_and_least(report.against(cell, other, name) for cell in report.cells)
                for other in (ORIGINAL, *OTHERS)
            ),
            _mean_and_least(report.share(cell, name) for cell in report.cells),
        ]
        for name in (ORIGINAL, *report.variants)
    ]
    yield from _table(["version", ORIGINAL, *OTHERS, "copy"], rows)


def _others(report: Report) -> Iterator[str]:
    yield "The best of ours in each cell: time of others / ours, and share of the copy's bandwidth"
    yield "where the data exceed the cache (geometric mean, worst)."
    yield ""
    rows = []
    for name in report.operations:
        cells = [cell for cell in report.cells if cell["operation"] == name]
        rows.append([
            name,
            *(_mean_and_least(report.against(cell, other) for cell in cells) for other in OTHERS),
            _mean_and_least(report.share(cell, ORIGINAL) for cell in cells),
            _mean_and_least(report.share(cell) for cell in cells),
        ])  # fmt: skip
    yield from _table(["operation", *OTHERS, "copy, original", "copy, best"], rows)


def _mean_and_least(values: Iterable[float | None]) -> str:
    seen = [value for value in values if value is not None]
    return f"{statistics.geometric_mean(seen):.2f}, {min(seen):.2f}" if seen else ""


def _aims(report: Report) -> Iterator[str]:
    rows = []
    for aim in report.aims():
        seen = [value for cell in report.cells if (value := aim.of(cell)) is not None]
        if not seen:
            continue
        below = sum(value < aim.least for value in seen) if aim.least is not None else 0
        wanted = [f"mean {aim.mean:.2f}"] if aim.mean is not None else []
        wanted += [f"never below {aim.least:.2f}"] if aim.least is not None else []
        rows.append([
            aim.what, ", ".join(wanted), f"{statistics.geometric_mean(seen):.2f}",
            f"{min(seen):.2f}", f"{below} of {len(seen)}" if aim.least is not None else "",
        ])  # fmt: skip
    yield from _table(["", "aim", "geometric mean", "worst", "cells below the aim"], rows)


def _losses(report: Report) -> Iterator[str]:
    for variant in report.variants:
        lost = report.losses(variant)
        if not lost:
            continue
        yield f"<details><summary>{variant}: {len(lost)} losses</summary>"
        yield ""
        yield from _table(
            ["operation", "type", "rows x length", "ratio", "10th to 90th percentile"],
            (
                [
                    cell["operation"], cell["dtype"], f"{cell['rows']} x {cell['length']}",
                    "{:.2f}".format(cell["ratios"][variant][0]),
                    "{:.2f} .. {:.2f}".format(*cell["ratios"][variant][1:]),
                ]
                for cell in lost
            ),
        )  # fmt: skip
        yield ""
        yield "</details>"
        yield ""


def _left_out(report: Report) -> Iterator[str]:
    """What was not timed, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for operation, found in report.record["left_out"].items():
        for variant, why in found.items():
            reasons.setdefault((variant, why), []).append(operation)
    for (variant, why), operations in reasons.items():
        everywhere = len(operations) == len(report.record["left_out"])
        yield f"- {variant}: {why} ({'everywhere' if everywhere else ', '.join(operations)})"
    for what, why in report.record["failures"].items():
        yield f"- not timed: {what}: {why}"
    for cell in report.record["cells"]:
        for version, why in cell.get("dropped", {}).items():
            yield f"- not timed: {_place(cell)}, {version}: {why}"
        if "failed" in cell:
            yield f"- failed: {_place(cell)}: {cell['failed']}"


def _place(cell: Timed) -> str:
    return f"{cell['operation']}, {cell['dtype']}, {cell['rows']} x {cell['length']}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
