"""The figures that the tool says of its rewrites, from what was recorded in benchmarks/results.

    PYTHONPATH=. python benchmarks/figures.py [--write]

Prints the record; with --write it becomes tritonopt/rewriting/measured.json, which the remarks,
the suggestions and the catalog read. A test holds README, docs/ and manual pages against both.
Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.row.tables import Report
from tritonopt.rewriting.options import why_removed

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
RECORD = ROOT / "tritonopt" / "rewriting" / "measured.json"
FORMULAS = ("shifted", "moments")
LONG_ROW = 16384
"""Columns from which on a row in several tiles was seen to gain."""
OVER_ROWS = {
    "rows": ("rows", range(2**31)),
    "row-batch, up to 128 elements": ("row-batch", range(129)),
    "row-batch, 256 elements": ("row-batch", range(129, 257)),
    "row-batch, up to 256 elements": ("row-batch", range(257)),
    "row-batch, longer rows": ("row-batch", range(257, 2**31)),
    "one-tile, up to 1024 elements": ("one-tile", range(1025)),
    "one-tile, longer rows": ("one-tile", range(1025, 2**31)),
    "one-tile, raised for rows of 2048 to 32768": ("one-tile to 32K", range(1025, 32769)),
    "online-softmax, one tile": ("online-softmax", range(1025)),
    "online-softmax, several tiles": ("online-softmax", range(1025, 2**31)),
    "defer-reduction, one or two iterations": ("defer-reduction", range(2049)),
    "defer-reduction, more iterations": ("defer-reduction", range(2049, 2**31)),
}
"""Passes alone on textbook kernels with tiles of 1024, and the lengths of rows."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="replace the record")
    lines = (f"  {json.dumps(name)}: {json.dumps(seen)}" for name, seen in record().items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if parser.parse_args().write:
        RECORD.write_text(text, encoding="utf-8")
    print(text, end="")


def results(name: str) -> list[dict[str, Any]]:
    report = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = report["results"]
    return found


def record() -> dict[str, list[float]]:
    """By what was measured, the least and the most of original time / rewritten time."""
    ratios: dict[str, list[float]] = {}
    sources = (
        *(fuse_stats, rewrites, default_limits, of_a_library, launches, over_rows, scalar_loops),
        *(interleaved, splits, pipelined, products, column_tiles, merged, expanded_sums, by_hand),
    )
    for name, ratio in chain.from_iterable(source() for source in sources):
        ratios.setdefault(name, []).append(ratio)
    return {name: [round(min(seen), 2), round(max(seen), 2)] for name, seen in ratios.items()}


def fuse_stats() -> Iterator[tuple[str, float]]:
    for row in results("fuse_stats_speed-nvidia-h200"):
        for formula in FORMULAS:
            ratio = row["versions"][formula]["ratio"]
            yield f"fuse-stats {formula}", ratio
            if row["block"] >= row["columns"]:
                yield f"fuse-stats {formula}, one tile", ratio
            elif row["columns"] >= LONG_ROW:
                yield f"fuse-stats {formula}, long rows", ratio
            else:
                yield f"fuse-stats {formula}, short rows", ratio


def expanded_sums() -> Iterator[tuple[str, float]]:
    record = json.loads((RESULTS / "fuse_stats_speed-nvidia-h200.json").read_text(encoding="utf-8"))
    for row in record["expanded"]:
        what = "long rows" if row["shape"][1] >= LONG_ROW else "short rows"
        yield f"fuse-stats, expanded sums, {what}", row["versions"]["fuse-stats"]["ratio"]


def default_limits() -> Iterator[tuple[str, float]]:
    """grid-stride as it is named without options; a launch of few rows stays below its limit."""
    for row in results("grid_stride_speed-nvidia-h200"):
        if row["passes"] == "grid-stride" and "f16[128, 1024]" not in row["arguments"]:
            sums = row["kernel"] == "layer_norm_backward.layer_norm_backward"
            yield f"grid-stride, {'sums' if sums else 'no sums'}", row["ratio"]


def of_a_library() -> Iterator[tuple[str, float]]:
    """What passes did to FlagGems where they are left out of `all` since."""
    for row in results("library_speed-nvidia-h200"):
        if row["file"].endswith("binary_cross_entropy.py"):
            yield "grid-stride, one number", row["ratio"]
        elif row["file"].endswith(("var.py", "var_mean.py")):
            yield "fuse-stats, a library", row["ratio"]
        elif row["file"].endswith("linalg_matrix_norm.py"):
            yield "licm, load in an inner loop", row["ratio"]
        elif row["file"].endswith("cholesky_solve.py"):
            yield "licm, branch in an inner loop", row["ratio"]


_ALONE = ("licm", "contiguity-hints", "max-to-where", "exp-to-exp2")


def rewrites() -> Iterator[tuple[str, float]]:
    for row in results("rewrites_speed-nvidia-h200"):
        passes, kernel, ratio = row["passes"], row["kernel"], row["ratio"]
        if passes.startswith("grid-stride"):
            sums = kernel == "layer_norm_backward.layer_norm_backward"
            yield f"grid-stride, {'sums' if sums else 'no sums'}", ratio
        elif kernel == "gated_matmul.gated_matmul":
            # Below that, a launch is all that is measured.
            large = "2048" in row["arguments"]
            taken = row["arguments"].endswith(" 1")
            size = "a large product" if large else "a small product"
            yield f"loop-unswitch, {'taken' if taken else 'not taken'}, {size}", ratio
        elif passes in _ALONE:
            yield passes, ratio
        elif passes.startswith("told-multiples"):
            length = int(row["arguments"].partition(", ")[2].partition("]")[0])
            told = length % 4 == 0 and length % 16
            yield f"told-multiples{'' if told else ', other lengths'}", ratio


def launches() -> Iterator[tuple[str, float]]:
    for row in results("optimize_overhead-nvidia-h200"):
        yield "optimize, launch", row["optimized"]["ratio"]


def over_rows() -> Iterator[tuple[str, float]]:
    report = Report(json.loads((RESULTS / "rows-nvidia-h200.json").read_text(encoding="utf-8")))
    for name, (variant, lengths) in OVER_ROWS.items():
        for ratio in report.ratios(variant, lengths):
            yield name, ratio


def scalar_loops() -> Iterator[tuple[str, float]]:
    for row in results("scalar_loop_speed-nvidia-h200"):
        if row["block"] == 128:  # as it is named without options
            yield (
                "scalar-loop, 64 iterations and more"
                if row["elements"] >= 64
                else "scalar-loop, few",
                row["ratio"],
            )


def interleaved() -> Iterator[tuple[str, float]]:
    for row in results("interleaved_access_speed-nvidia-h200"):
        small = row["kernel"] == "complex rotary" and row["shape"][1] == 1
        yield f"interleaved-access{', tiles of 64 pairs' if small else ''}", row["ratio"]


def pipelined() -> Iterator[tuple[str, float]]:
    for row in results("pipeline_loads_speed-nvidia-h200"):
        rows = "few" if row["shape"][0] <= 132 else "many"
        for knob, version in row["versions"].items():
            yield f"pipeline-loads {knob}, {rows} rows", version["ratio"]


def products() -> Iterator[tuple[str, float]]:
    for row in results("matrix_products_speed-nvidia-h200"):
        longest = max(row["shape"])
        size = "1024" if longest == 1024 else "2048 and more"
        if longest > 8192 or "wide" in row["kernel"]:
            size = "matrices larger than L2"
        for name, version in row["versions"].items():
            if name.startswith("groups"):
                yield f"group-programs, {size}", version["ratio"]
            elif name == "pointers":
                yield "block-pointer", version["ratio"]


def column_tiles() -> Iterator[tuple[str, float]]:
    """collapse-loops as it is named without options, and split-columns with its own tile."""
    for row in results("column_tiles_speed-nvidia-h200"):
        us = row["us"]
        if "original" not in us:
            continue
        ratios = {name: us["original"] / took for name, took in us.items()}
        if row["kernel"].startswith(("batch_norm", "groups")):
            what = "rows side by side" if row["kernel"] == "groups" else "batch norm"
            yield f"collapse-loops, {what}", ratios["collapse-loops{block=1024}"]
            yield "collapse-loops, blocks of 256", ratios["collapse-loops{block=256}"]
        else:
            what = "backward" if row["kernel"].endswith("backward") else "forward"
            yield f"split-columns, {what}", ratios["split-columns{longest=4096,block=4096}"]


def by_hand() -> Iterator[tuple[str, float]]:
    names = {"exp2": "exp-to-exp2, folded", "exp2, not folded": "exp-to-exp2"}
    branch = "branch around the mask"
    for row in results("by_hand-nvidia-h200"):
        if branch in row["variants"]:
            rest = "" if "causal" in row["case"] else ", the last tile alone"
            yield f"mask-partial-tiles{rest}", row["variants"][branch]["ratio"]
        for name, cell in row["variants"].items():
            if row["case"].startswith("attention") and name in names:
                yield names[name], cell["ratio"]
            if row["case"].startswith("short") and name.endswith("rows, 4 warps"):
                count, length = map(int, row["case"].partition("[")[2].strip("]").split(","))
                few = row["variants"][f"{512 // length} rows, 4 warps"]["microseconds"]
                if count >= 65536 and int(name.partition(" ")[0]) * length == 2048:
                    yield "row-batch, 2048 elements of many rows", few / cell["microseconds"]
            told = name.removesuffix(", eights").removesuffix(", aligned")
            if told != name:
                what = "told-multiples" if "eights" in name else "aligned tiles"
                as_it_was = row["variants"][told]["microseconds"]
                yield f"{what}, by hand", as_it_was / cell["microseconds"]


BY_HAND = {
    "exponents, folded": ("attention", "exp2"),
    "exponents": ("attention", "exp2, not folded"),
    "a branch": ("attention", "branch around the mask"),
    "two loops": ("attention", "split"),
    "exponents and branch": ("attention", "exp2, branch"),
    "exponents and two loops": ("attention", "exp2, split"),
    "scale on q": ("attention", "scale on q"),
    "scale in one instruction": ("attention", "scale in fma"),
    "normalized in each iteration": ("attention", "normalized early"),
    "no masks along K": ("matmul", "even"),
    "last tile of K apart": ("matmul", "peeled"),
    "softmax without masks": ("softmax", "even"),
    "softmax, last tile apart": ("softmax", "peeled"),
    "4 groups": ("groups of 128", "4 groups, 1 warp"),
    "16 groups": ("groups of 128", "16 groups, 4 warps"),
    "64 groups": ("groups of 128", "64 groups, 4 warps"),
    "tokens, two loads": ("tokens", "one tile, 4 warps, two loads"),
    "tokens, 8 warps": ("tokens", "one tile, 8 warps"),
    "tokens, two loops": ("tokens", "two loops of 1024, 4 warps"),
    "largest few by tl.topk, values alone": ("largest", "values, 1 rows, 4 warps"),
    "largest few by tl.topk of value and index": ("largest", "packed, 1 rows, 4 warps"),
    "largest few as they were, 8 rows": ("largest", "repeated, 8 rows, 4 warps"),
    "largest few by tl.topk of both, 8 rows": ("largest", "packed, 8 rows, 4 warps"),
}
"""Rows of the table in `results/README.md`: words of the cases, and the variant."""
_BACKWARD = ("layer norm backward", "rms norm backward")
_SHORT = ("short sum", "short softmax", "short layer norm")
_LONG = ("[4096, 65536]", "[1024, 131072]", "[1024, 262144]")
HAND_SHARES = {
    "locks, two kernels": (_BACKWARD, "textbook: locks, two kernels"),
    "an atomic addition of each row": (_BACKWARD, "atomics of each row"),
    "chunks of rows, sums of parts": (_BACKWARD, "Liger: rows in chunks, torch sum"),
    "every 264th row, a second kernel": (_BACKWARD, "parts, 2 for an SM, second kernel"),
    "the same, 3 stages": (_BACKWARD, "parts, 2 for an SM, 3 stages"),
    "every 132nd row, 3 stages": (_BACKWARD, "parts, 1 for an SM, 3 stages"),
    "column tiles, atomics": (_BACKWARD, "columns of 1024, 4 warps"),
    "sums of rows first, then column tiles": (
        _BACKWARD,
        "row sums first, 2 x 1024, 4 warps, 1 stages",
    ),
    "a row": (_SHORT, 1),
    "512 elements": (_SHORT, 512),
    "1024 elements": (_SHORT, 1024),
    "2048 elements": (_SHORT, 2048),
    "4096 elements": (_SHORT, 4096),
    "loops of 1024": (_LONG, "1024, 4 warps"),
    "the second backwards": (_LONG, "1024, 4 warps, backwards"),
    "hints: kept, then dropped": (_LONG, "1024, 4 warps, hints"),
    "4 stages": (_LONG, "1024, 4 warps, 4 stages"),
    "loops of 4096, 8 warps": (_LONG, "4096, 8 warps"),
    "loops of 16384, 32 warps": (_LONG, "16384, 32 warps"),
    "the same, 132 programs, hints": (_LONG, "1 for an SM, hints"),
}
"""Rows of further tables: words of the cases, a column each, and the variant, or the elements of a
program's tile, with 4 warps."""


def by_hand_rows() -> Iterator[str]:
    """Least, geometric mean and most of the ratios of a variant; of attention, causal and not."""
    rows = results("by_hand-nvidia-h200")
    for label, (words, variant) in BY_HAND.items():
        cells = []
        for part in ("causal", "full") if words == "attention" else ("",):
            found = [r for r in rows if words in r["case"] and part in r["case"]]
            seen = [r["variants"][variant]["ratio"] for r in found if variant in r["variants"]]
            ends = (min(seen), geometric_mean(seen), max(seen))
            cells.append(" ".join(f"{ratio:.2f}x" for ratio in ends))
        yield f"| {label} | {' | '.join(cells)} |"


def hand_share_rows() -> Iterator[str]:
    """Least and most of the share of the bandwidth of a copy; of many short rows."""
    rows = results("by_hand-nvidia-h200")
    for label, (columns, variant) in HAND_SHARES.items():
        cells = []
        for words in columns:
            shares = []
            for row in (r for r in rows if words in r["case"]):
                if not ("short" in words or "backward" in words or "long" in row["case"]):
                    continue
                count, length = map(int, row["case"].partition("[")[2].strip("]").split(","))
                if isinstance(variant, int) and count < 65536:
                    continue
                name = variant
                if isinstance(variant, int):
                    name = f"{max(1, variant // length)} rows, 4 warps"
                found = row["variants"].get(name)
                if found is not None:
                    copy = row["variants"]["copy"]["microseconds"]
                    shares.append(f"{copy / found['microseconds']:.2f}")
            ends = sorted({min(shares), max(shares)}) if shares else [""]
            cells.append(" to ".join(ends))
        yield f"| {label} | {' | '.join(cells)} |"


def merged() -> Iterator[tuple[str, float]]:
    for row in results("merge_kernels_speed-nvidia-h200"):
        ratio = row["us"]["original"] / row["us"]["rewritten"]
        what = "layer norm backward" if row["kernel"].startswith("layer norm") else "sums, minima"
        yield f"merge-kernels, {what}", ratio
        yield "merge-kernels, in order", row["us"]["original"] / row["us"]["in order"]


def splits() -> Iterator[tuple[str, float]]:
    for row in results("reductions-nvidia-h200"):
        if "split-reduce" in row["us"]:
            few = row["shape"][0] <= 16
            ratio = row["us"]["original"] / row["us"]["split-reduce"]
            yield f"split-reduce, {'few' if few else 'many'} rows", ratio
    path = RESULTS / "references-nvidia-h200.json"
    for journey in json.loads(path.read_text(encoding="utf-8"))["journeys"]:
        if journey["name"].endswith("few long rows"):  # two sweeps, that one pass has merged before
            before, after = (stage["passes"] for stage in journey["stages"])
            for call in journey["calls"]:
                yield "split-reduce, two sweeps", call["us"][before] / call["us"][after]


def by_function(*names: str) -> list[str]:
    """Rows of a table: the calls of each function of a library, the fastest rewrite first."""
    ratios: dict[str, list[float]] = {}
    for row in (row for name in names for row in results(name)):
        ratios.setdefault(str(row["call"]).partition("(")[0], []).append(row["ratio"])
    order = sorted(ratios.items(), key=lambda item: (-max(item[1]), item[0]))
    return [
        f"| `{name}` | {len(found)} | {min(found):.2f}x to {max(found):.2f}x |"
        for name, found in order
    ]


_VERSIONS = ("original", "rewritten")


def fuse_stats_rows() -> Iterator[str]:
    """The rows of the table in the manual page of fuse-stats."""
    table: dict[tuple[int, int, int], list[str]] = {}
    for row in results("fuse_stats_speed-nvidia-h200"):
        ratios = ", ".join(f"{row['versions'][formula]['ratio']:.2f}" for formula in FORMULAS)
        key = row["columns"], row["block"], row["num_warps"]
        table.setdefault(key, []).append(ratios)
    for (columns, block, warps), cells in table.items():
        star = " *" if block >= columns else ""
        yield f"| {columns}{star} | {block}, {warps} | {' | '.join(cells)} |"


def measured_rows() -> Iterator[str]:
    """The rows of the table of fuse-stats in docs/measured.md."""
    table: dict[tuple[int, int, int], list[str]] = {}
    for row in results("fuse_stats_speed-nvidia-h200"):
        key = row["columns"], row["block"], row["num_warps"]
        table.setdefault(key, []).append(f"{row['versions']['shifted']['ratio']:.2f}x")
    for (columns, block, warps), cells in table.items():
        star = "*" if block >= columns else ""
        yield f"| {columns}{star} | {block}, {warps} | {' | '.join(cells)} |"


def other_rewrites_rows() -> Iterator[str]:
    """The table of rewrites in docs/measured.md: of each launcher the slowest and fastest call."""
    yield "| rewrite | launcher, arguments | speed | share of copy |"
    yield "| --- | --- | --- | --- |"
    calls: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in results("rewrites_speed-nvidia-h200"):
        # Its branch moved when `loop-unswitch` was still a part of `licm`.
        unswitched = row["kernel"] == "gated_matmul.gated_matmul"
        passes = "loop-unswitch" if unswitched else row["passes"]
        if why_removed(passes):
            continue
        calls.setdefault((passes, row["kernel"]), []).append(row)
    for (passes, kernel), rows in calls.items():
        ordered = sorted(rows, key=lambda row: float(row["ratio"]))
        for row in ordered if len(rows) == 1 else (ordered[0], ordered[-1]):
            shares = (f"{100 * row['share_of_copy'][which]:.0f}%" for which in _VERSIONS)
            file, function = kernel.split(".")
            name = function if file == function else f"{file}.{function}"
            call = f"`{name}({row['arguments']})`"
            yield f"| `{passes}` | {call} | {row['ratio']:.2f}x | {' to '.join(shares)} |"


def grid_stride_rows() -> Iterator[str]:
    """The rows of the table in the manual page of grid-stride."""
    table: dict[tuple[str, str], list[str]] = {}
    for row in results("rewrites_speed-nvidia-h200"):
        strided = row["passes"].startswith("grid-stride")
        if strided and row["kernel"] == "layer_norm_backward.layer_norm_backward":
            rows, columns = row["arguments"].partition("[")[2].partition("]")[0].split(", ")
            table.setdefault((rows, columns), []).append(f"{row['ratio']:.2f}")
    for (rows, columns), cells in table.items():
        yield f"| {rows} | {columns} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
