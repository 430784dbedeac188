"""Every figure that is said of a rewrite is one that was recorded."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean

import pytest

from benchmarks import block_pointer_sites, figures, library_reach, reductions
from benchmarks.null_test import table as null_table
from benchmarks.row.plan import COMPILED, LIGER
from benchmarks.row.tables import LENGTHS, Report, Timed, by_length
from benchmarks.tuned import findings, records
from benchmarks.verification_of_files import Result, table
from docs import generate
from tritonopt.rewriting.measured import figure
from tritonopt.rewriting.registry import catalog

ROOT = Path(__file__).resolve().parent.parent
SPEED = re.compile(r"\b\d+\.\d\dx")
AFTER_ROWS = (
    "library_speed_liger",
    "library_speed_liger_all",
    "library_speed_flaggems_rows",
)
"""What was measured of a library that `--passes rows`, and `all`, had changed."""
RANGE = re.compile(r"(\d+\.\d\d)x to (\d+\.\d\d)x")


def recorded() -> dict[str, list[float]]:
    found: dict[str, list[float]] = json.loads(figures.RECORD.read_text(encoding="utf-8"))
    return found


def texts() -> dict[str, str]:
    """What people read: the pages, and the manual pages."""
    pages = {name: inspect.getdoc(found) or "" for name, found in catalog().items()}
    files = generate.pages()
    read = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return {**read, **pages}


def every_ratio() -> set[str]:
    """Each ratio of the results, and the ends of what is said of several."""
    seen = {f"{end:.2f}x" for ends in recorded().values() for end in ends}
    for row in figures.results("fuse_stats_speed-nvidia-h200"):
        seen |= {f"{version['ratio']:.2f}x" for version in row["versions"].values()}
    seen |= set(SPEED.findall("\n".join(figures.by_hand_rows())))
    names = ("rewrites_speed", "grid_stride_speed", "library_speed", "scalar_loop_speed")
    names += ("interleaved_access_speed", "demo_speed")
    for name in (*names, *AFTER_ROWS):
        seen |= {f"{row['ratio']:.2f}x" for row in figures.results(f"{name}-nvidia-h200")}
    seen |= set(SPEED.findall("\n".join(findings.accepted(records.kept()))))
    seen |= {f"{ratio:.2f}x" for ratios in searched() for ratio in ratios}
    return seen | {f"{library_mean(name):.2f}x" for name in ("library_speed", *AFTER_ROWS)}


def searched() -> Iterator[list[float]]:
    """The gains that the search found in a launcher of a library, accepted or not."""
    every = (found for record in records.kept() for found in record["results"].values())
    for found in every:
        for one in found["launchers"]:
            if ratios := [call["best_ratio"][0] for call in one["calls"] if call["best_ratio"]]:
                yield ratios


def library_mean(name: str) -> float:
    return geometric_mean(row["ratio"] for row in figures.results(f"{name}-nvidia-h200"))


def test_the_record_is_what_was_measured() -> None:
    assert recorded() == figures.record(), "run benchmarks/figures.py --write"


def test_a_figure_in_words() -> None:
    assert str(figure("licm")) == "{:.2f}x to {:.2f}x".format(*recorded()["licm"])
    alone = "loop-unswitch, not taken, a large product"
    assert str(figure(alone)) == f"{recorded()[alone][0]:.2f}x"


@pytest.mark.parametrize("name", sorted(texts()))
def test_ranges_that_people_read(name: str) -> None:
    known = {f"{least:.2f} {most:.2f}" for least, most in recorded().values()}
    # Of the grid, in the manual page: two rows of the table.
    rms = [
        r["ratio"] for r in figures.results("rewrites_speed-nvidia-h200") if "rms" in r["kernel"]
    ]
    known.add(f"{min(rms):.2f} {max(rms):.2f}")
    scalar = [
        r["ratio"]
        for r in figures.results("scalar_loop_speed-nvidia-h200")
        if r["elements"] == 1024 and r["block"] == 128
    ]
    known.add(f"{min(scalar):.2f} {max(scalar):.2f}")
    library = [row["ratio"] for row in figures.results("library_speed-nvidia-h200")]
    known.add(f"{min(library):.2f} {max(library):.2f}")
    for after in AFTER_ROWS:
        rows = "\n".join(figures.by_function(f"{after}-nvidia-h200"))
        known |= {" ".join(ends) for ends in RANGE.findall(rows)}
    accepted = "\n".join(findings.accepted(records.kept()))
    known |= {" ".join(ends) for ends in RANGE.findall(accepted)}
    known |= {f"{min(ratios):.2f} {max(ratios):.2f}" for ratios in searched()}
    said = {" ".join(ends) for ends in RANGE.findall(texts()[name])}
    assert said <= known


@pytest.mark.parametrize("name", sorted(texts()))
def test_single_figures_that_people_read(name: str) -> None:
    assert set(SPEED.findall(texts()[name])) <= every_ratio()


def test_tables() -> None:
    for name, rows in {
        "fuse-stats": figures.fuse_stats_rows(),
        "grid-stride": figures.grid_stride_rows(),
        "docs/measured.md": figures.measured_rows(),
        "benchmarks/results/README.md": figures.by_hand_rows(),
    }.items():
        missing = [row for row in rows if row not in texts()[name]]
        assert not missing, name


def test_what_tune_accepted() -> None:
    page = texts()["docs/tuning.md"]
    for report in records.kept():
        assert report["totals"] == findings.totals(report["results"])
    assert findings.table(records.kept()) in page
    assert "\n".join(findings.accepted(records.kept())) in page


def test_rows_by_their_length() -> None:
    report = Report(json.loads((figures.RESULTS / "rows-nvidia-h200.json").read_text()))
    page = texts()["docs/measured.md"]
    assert "\n".join(by_length(report)) in page
    short, _, _, tiles, longer = (report.ratios("rows", lengths) for lengths in LENGTHS.values())
    worst = min(cell["ratios"]["rows"][0] for cell in report.cells if "rows" in cell["ratios"])
    assert (
        f"Geometric means: {geometric_mean(short):.1f}x for rows of up to 128 elements, "
        f"{geometric_mean(tiles + longer):.2f}x for 4096 and more; worst {worst:.2f}x |"
    ) in texts()["README.md"]

    def mean(other: str, cells: list[Timed]) -> float:
        found = [value for cell in cells if (value := report.against(cell, other)) is not None]
        return geometric_mean(found) if found else 0.0

    by_operation = (
        mean(LIGER, [cell for cell in report.cells if cell["operation"] == name])
        for name in report.operations
    )
    liger = [found for found in by_operation if found]
    assert f"takes {mean(COMPILED, report.cells):.2f} of its time" in page
    assert f"kernels {min(liger):.2f} to {max(liger):.2f} by operation" in page


def test_libraries_after_rows() -> None:
    page = texts()["docs/measured.md"]
    for name in AFTER_ROWS:
        assert "\n".join(figures.by_function(f"{name}-nvidia-h200")) in page
    report = json.loads((figures.RESULTS / "library_reach.json").read_text())
    assert library_reach.table(report["results"]) in page


def test_block_pointers_of_others() -> None:
    report = json.loads((figures.RESULTS / "block_pointer_sites.json").read_text())
    assert block_pointer_sites.table(report["results"]) in texts()["docs/measured.md"]


def test_rows_of_the_other_rewrites() -> None:
    results = {
        (f"{row['ratio']:.2f}x", *(f"{100 * share[which]:.0f}%" for which in share))
        for row in figures.results("rewrites_speed-nvidia-h200")
        for share in [{k: row["share_of_copy"][k] for k in ("original", "rewritten")}]
    }
    shown = re.findall(r"\| (\d\.\d\dx) \| (\d+%) to (\d+%) \|", texts()["docs/measured.md"])
    assert len(shown) > 10
    assert set(shown) <= results


def code_with_figures() -> Iterator[str]:
    for folder in ("tritonopt", "passes"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            pages = {
                id(node.body[0].value)
                for node in ast.walk(tree)
                if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.Module))
                and node.body
                and isinstance(node.body[0], ast.Expr)
            }
            for node in ast.walk(tree):
                if not isinstance(node, ast.Constant) or id(node) in pages:
                    continue
                if isinstance(node.value, str) and SPEED.search(node.value):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}"


def test_code_has_no_figures_of_its_own() -> None:
    assert not list(code_with_figures()), "take it from tritonopt.rewriting.measured"


def test_the_table_of_answered_files_is_made_from_the_record() -> None:
    rows = json.loads((figures.RESULTS / "verification_of_files.json").read_text(encoding="utf-8"))
    shown = "\n".join(table(Result(**row) for row in rows))
    assert f"\n{shown}\n" in texts()["docs/measured.md"]
    assert all(Result(**row).good for row in rows)


def test_how_near_reductions_come_to_a_copy() -> None:
    record = json.loads((figures.RESULTS / "reductions-nvidia-h100.json").read_text())
    assert f"\n{reductions.table(record)}\n" in texts()["docs/measured.md"]


def test_what_the_timer_claims_where_there_is_little_to_claim() -> None:
    record = json.loads((figures.RESULTS / "null_test-nvidia-h200.json").read_text())
    assert f"\n{null_table(record)}\n" in texts()["docs/measured.md"]
