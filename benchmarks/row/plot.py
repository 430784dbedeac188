"""A plot of a record: for each operation, what share of a copy's bandwidth long inputs reach."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

from benchmarks.row.plan import COMPILED, LIGER, ORIGINAL
from benchmarks.row.tables import Report, Timed

DTYPE = "fp16"
COLUMNS = 5
LINES = {
    "as written": (ORIGINAL, "tab:gray", "-"),
    "best rewrite": (None, "tab:blue", "-"),
    "Liger": (LIGER, "tab:orange", "--"),
    "torch.compile": (COMPILED, "tab:red", "x"),
}


def plot(path: Path, out: Path) -> None:
    """Draw the record of that path into a file; its suffix says in which format."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("a plot needs matplotlib: pip install '.[bench]'") from None
    matplotlib.use("Agg")
    # The same record gives the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "rows", "svg.fonttype": "none", "font.size": 8})
    from matplotlib import pyplot

    report = Report(json.loads(path.read_text(encoding="utf-8")))
    lines = -(-len(report.operations) // COLUMNS)
    figure, axes = pyplot.subplots(
        lines, COLUMNS, figsize=(11, 2 * lines + 0.8), sharex=True, sharey=True, squeeze=False
    )
    for place, axis in enumerate(axes.flat):
        if place >= len(report.operations):
            axis.axis("off")
            continue
        operation = report.operations[place]
        axis.set_title(operation)
        axis.axhline(1, color="black", linewidth=0.5)
        for label, (version, color, style) in LINES.items():
            points = shares(report, operation, lambda cell, v=version: report.share(cell, v))
            if points:
                axis.plot(*zip(*points, strict=True), style, color=color, label=label, markersize=4)
        axis.set_xscale("log", base=2)
        axis.set_ylim(0, 1.15)
        axis.tick_params(labelbottom=place + COLUMNS >= len(report.operations))
    handles = {text: h for axis in axes.flat
               for h, text in zip(*axis.get_legend_handles_labels(), strict=True)}  # fmt: skip
    figure.legend(handles.values(), handles, loc="upper center", ncols=len(handles), frameon=False)
    figure.supxlabel(f"elements of a row ({DTYPE})")
    figure.supylabel("share of the bandwidth of a copy")
    figure.tight_layout(rect=(0, 0, 1, 0.96))
    is_svg = out.suffix == ".svg"
    figure.savefig(out, dpi=150, metadata={"Date": None} if is_svg else None)
    pyplot.close(figure)


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
