"""A plot of a record: for each operation, what share of a copy's bandwidth long inputs reach.

Drawn as SVG, which the same record gives in the same bytes, so that a test can hold it; its colors
follow the reader's choice of a light or a dark page.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.row.plan import COMPILED, LIGER, ORIGINAL
from benchmarks.row.tables import Report, Timed

DTYPE = "fp16"
COLUMNS = 5
LINES = {
    "as written": (ORIGINAL, "written"),
    "best rewrite": (None, "best"),
    "Liger": (LIGER, "liger"),
    "torch.compile": (COMPILED, "compiled"),
}
"""By what stands in the legend: the version, and the class of its style."""
STYLE = """\
text { font: 11px sans-serif; fill: #1f2328 }
.axis { stroke: #8c959f; stroke-width: 1 } .written { stroke: #8c959f } .best { stroke: #0969da }
.liger { stroke: #bc4c00; stroke-dasharray: 5 3 } .compiled { stroke: #cf222e; fill: #cf222e }
path { fill: none; stroke-width: 1.8 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .best { stroke: #58a6ff } .liger { stroke: #f0883e }
  .compiled { stroke: #ff7b72; fill: #ff7b72 }
}"""
WIDTH, HEIGHT = 150, 90
"""Of the frame of one operation, in pixels."""
GAP, LEFT, TOP = 22, 44, 50
LENGTHS = (6, 18)
"""Powers of two: 64 to 262144 elements of a row."""
LABELS = ((64, "64", "start"), (4096, "4K", "middle"), (262144, "256K", "end"))
MOST = 1.1
"""Of a copy's bandwidth."""


def plot(path: Path, out: Path) -> None:
    """Draw the record of that path into an SVG file."""
    report = Report(json.loads(path.read_text(encoding="utf-8")))
    out.write_text("\n".join([*drawn(report), ""]), encoding="utf-8")


def drawn(report: Report) -> Iterator[str]:
    """The lines of the file."""
    lines = -(-len(report.operations) // COLUMNS)
    width = LEFT + COLUMNS * (WIDTH + GAP)
    height = TOP + lines * (HEIGHT + GAP) + 34
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">'
    yield f"<style>\n{STYLE}\n</style>"
    for place, (label, (_, style)) in enumerate(LINES.items()):
        x = LEFT + 150 * place
        dots = style == "compiled"
        yield _mark([(x + 12.0, 14.0)] if dots else [(x, 14.0), (x + 24.0, 14.0)], style)
        yield f'<text x="{x + 30}" y="18">{label}</text>'
    for place, operation in enumerate(report.operations):
        row, column = divmod(place, COLUMNS)
        below = place + COLUMNS >= len(report.operations)
        yield from _frame(
            report, operation, LEFT + column * (WIDTH + GAP), TOP + row * (HEIGHT + GAP), below
        )
    middle = (TOP + height - 34) / 2
    yield (
        f'<text transform="translate(12 {middle:.0f}) rotate(-90)" text-anchor="middle">'
        "share of the bandwidth of a copy</text>"
    )
    yield (
        f'<text x="{width / 2:.0f}" y="{height - 4}" text-anchor="middle">'
        f"elements of a row ({DTYPE}, {report.record['gpu']})</text>"
    )
    yield "</svg>"


def _frame(report: Report, operation: str, x: int, y: int, below: bool) -> Iterator[str]:
    """One operation, in a frame with its corner there; `below` nothing else is drawn."""

    def at(length: int, share: float) -> tuple[float, float]:
        along = (math.log2(length) - LENGTHS[0]) / (LENGTHS[1] - LENGTHS[0])
        return x + WIDTH * along, y + HEIGHT * (1 - share / MOST)

    yield f'<text x="{x}" y="{y - 4}">{operation}</text>'
    yield f'<path class="axis" d="M{x} {y}v{HEIGHT}h{WIDTH}"/>'
    one = at(64, 1.0)[1]
    yield f'<path class="axis" stroke-dasharray="1 3" d="M{x} {one:.1f}h{WIDTH}"/>'
    if x == LEFT:
        for share in (0.0, 0.5, 1.0):
            height = at(64, share)[1] + 4
            yield f'<text x="{x - 4}" y="{height:.1f}" text-anchor="end">{share:g}</text>'
    if below:
        for length, label, side in LABELS:
            where = f'x="{at(length, 0)[0]:.1f}" y="{y + HEIGHT + 14}"'
            yield f'<text {where} text-anchor="{side}">{label}</text>'
    for version, style in LINES.values():
        points = shares(report, operation, lambda cell, v=version: report.share(cell, v))
        if points:
            yield _mark([at(*point) for point in points], style)


def _mark(points: list[tuple[float, float]], style: str) -> str:
    """A line through points; of torch.compile, which few cells have, the points."""
    if style == "compiled":
        dots = (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in points)
        return f'<g class="{style}">{"".join(dots)}</g>'
    steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="{style}" d="M{steps}"/>'


def shares(
    report: Report, operation: str, share: Callable[[Timed], float | None]
) -> list[tuple[int, float]]:
    """By length, the mean of the shares of the cells that exceed the cache."""
    seen: dict[int, list[float]] = {}
    for cell in report.cells:
        if cell["operation"] == operation and cell["dtype"] == DTYPE:
            value = share(cell)
            if value is not None:
                seen.setdefault(cell["length"], []).append(value)
    return [(length, statistics.fmean(seen[length])) for length in sorted(seen)]
