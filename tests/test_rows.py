"""The benchmark of rows: its plan, its versions, its judge, its record and its tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.row import measuring, plan, variants
from benchmarks.row.functions import differences
from benchmarks.row.operations import DTYPES, OPERATIONS, Source, arguments_of
from benchmarks.row.plan import COPY, EAGER, LIGER, ORIGINAL, Cell
from benchmarks.row.plot import plot, shares
from benchmarks.row.record import Record
from benchmarks.row.tables import Report, tables
from benchmarks.side_by_side import ratios, tensors, timed
from tests.measurement.test_timing import MadeUp

ROOT = Path(__file__).resolve().parent.parent
MACHINE = {"gpu": "a GPU", "date": "today", "torch": "1", "triton": "2", "l2_megabytes": 1.0}


def test_a_run_that_is_cut_has_seen_everything() -> None:
    cells = plan.cells(OPERATIONS)
    assert len({cell.key for cell in cells}) == len(cells)
    first = cells[: len(OPERATIONS) * len(plan.DTYPES)]
    assert {(c.operation, c.dtype) for c in first} == {
        (name, dtype) for name in OPERATIONS for dtype in DTYPES
    }
    assert {c.rows for c in cells} >= {1, 1_000_000}
    assert {c.length for c in cells} >= {64, 262144}
    assert max(c.rows * c.length for c in cells) <= 2**27  # 1 GB read and written in fp32


def test_versions_are_those_in_which_the_launched_code_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    selections = {"fused": "fuse-stats", "again": "fuse-stats,licm", "gone": "no-such-pass"}
    monkeypatch.setattr(variants, "VARIANTS", selections)
    variants.versions_of.cache_clear()
    found = variants.versions_of("layer_norm", "layer_norm")
    assert [*found.texts] == [ORIGINAL, "fused"]
    assert found.left_out == {
        "again": "the same as fused",
        "gone": "there is no pass 'no-such-pass'",
    }
    assert variants.versions_of("rms_norm", "rms_norm").left_out["fused"] == "changes nothing"
    variants.versions_of.cache_clear()


def test_what_a_launcher_reaches_is_all_that_counts() -> None:
    text = "A = 1\ndef kernel(): return A\ndef other(): return 3\ndef launch(): kernel()\n"
    same = variants.reached(text, "launch")
    assert variants.reached(text.replace("3", "4"), "launch") == same
    assert variants.reached(text.replace("A = 1", "A = 2"), "launch") != same


@pytest.mark.parametrize("name", OPERATIONS)
def test_torch_does_the_same_in_fp64(name: str) -> None:
    operation = OPERATIONS[name]
    arguments = arguments_of(operation, Source(8, 96, torch.float32, "cpu"))
    wide = [
        v.double() if isinstance(v, torch.Tensor) and v.is_floating_point() else v
        for v in arguments
    ]
    expected = tensors(operation.reference(*wide))
    assert all(t.dtype in (torch.float64, torch.int64) for t in expected)
    assert not list(differences(expected, tensors(operation.reference(*arguments))))


def test_the_judge_sees_a_wrong_lane_a_nan_and_a_missing_result() -> None:
    expected = torch.ones(4, 8, dtype=torch.float64)
    right = expected.float()
    assert not list(differences([expected], [right]))
    for wrong in (1.01, float("nan")):
        other = right.clone()
        other[3, 7] = wrong
        assert list(differences([expected], [other]))
    assert list(differences([expected], []))
    means = torch.tensor([[1e-9], [1.0]], dtype=torch.float64)
    assert not list(differences([means], [torch.tensor([2e-9, 1.0])]))
    assert list(differences([means], [torch.tensor([1e-9, 1.1])]))
    places = torch.tensor([1, 2])
    assert list(differences([places], [torch.tensor([1, 3])]))


def test_times_are_those_of_the_timer_of_the_package() -> None:
    device = MadeUp()
    work = {name: device.version(name, lambda t=t: t) for name, t in (("a", 6.0), ("b", 3.0))}
    found = timed(work, 15, least=5, seconds=0.0, device=device)
    assert {name: set(runs) for name, runs in found.items()} == {"a": {6.0}, "b": {3.0}}
    assert len(found["a"]) == 5
    assert ratios(found["a"], found["b"])["ratio"] == 2.0
    assert len(timed(work, 15, device=device)["b"]) == 15


EXAMPLE = """
import torch

def doubled(x):
    return x * {factor}
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> measuring.Run:
    """A run without a GPU: its clock counts calls, and its processes are this one."""

    def answers(work: Any, requests: Any, **_: object) -> Any:
        return ((number, work(*request)) for number, request in enumerate(requests))

    def timed(work: dict[str, Any], runs: int, **_: object) -> dict[str, list[float]]:
        return {name: [10.0 * (place + 1)] * runs for place, name in enumerate(work)}

    def versions_of(example: str, launcher: str) -> variants.Versions:
        texts = {ORIGINAL: 2, "right": 2.0, "wrong": 3}
        return variants.Versions({n: EXAMPLE.format(factor=f) for n, f in texts.items()})

    operation = measuring.Operation(
        "double", "double", "doubled", lambda s: (s.matrix(),), lambda x: x * 2
    )
    monkeypatch.setattr(measuring, "answers", answers)
    monkeypatch.setattr(measuring, "timed", timed)
    monkeypatch.setattr(measuring, "versions_of", versions_of)
    monkeypatch.setattr(measuring, "machine", lambda: MACHINE)
    monkeypatch.setitem(OPERATIONS, "double", operation)
    return measuring.Run(Record(tmp_path / "r.json"), 60, 1, "cpu")


def test_a_run_times_what_is_right_and_goes_on_where_it_was(run: measuring.Run) -> None:
    cells = [Cell("double", "fp32", 4, length) for length in (8, 16)]
    run.whole(cells[:1])
    again = measuring.Run(Record(run.record.path), 60, 1, "cpu")
    again.whole(cells)
    written = json.loads(run.record.path.read_text())
    assert [cell["length"] for cell in written["cells"]] == [8, 16]
    first = written["cells"][0]
    assert first["us"] == {ORIGINAL: 10.0, "right": 20.0, EAGER: 30.0, COPY: 40.0}
    assert first["ratios"]["right"] == [0.5, 0.5, 0.5]
    assert first["bytes"] == 2 * 4 * 8 * 4
    assert "differs by 0.5" in written["failures"]["double, wrong, fp32, 4, 8"]
    assert len(again.said) == 3  # only the second cell was prepared again


def test_a_record_of_other_versions_is_not_mixed_in(
    run: measuring.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.whole([Cell("double", "fp32", 4, 8)])
    monkeypatch.setattr(measuring, "machine", lambda: {**MACHINE, "gpu": "another"})
    again = measuring.Run(Record(run.record.path), 60, 1, "cpu")
    with pytest.raises(SystemExit, match="gpu was a GPU and is another now"):
        again.whole([Cell("double", "fp32", 4, 16)])


def _cell(length: int, us: dict[str, float], ratio: list[float], **more: object) -> dict[str, Any]:
    shape = {"operation": "softmax", "dtype": "fp16", "rows": 1000, "length": length}
    return {**shape, "bytes": length * 4000, "us": us, "ratios": {"fused": ratio}, **more}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    cells = [
        _cell(100, {ORIGINAL: 10, "fused": 20, COPY: 8}, [0.5, 0.4, 0.6]),
        _cell(4096, {ORIGINAL: 40, "fused": 20, LIGER: 19, COPY: 18}, [2.0, 1.9, 2.1]),
        # Slower, but one of ten neighbors was not.
        _cell(8192, {ORIGINAL: 40, "fused": 41, COPY: 20}, [0.97, 0.9, 1.01]),
    ]
    record = {
        **MACHINE,
        "variants": {"fused": "fuse-stats", "gone": "no-such-pass"},
        "compile": {"mode": "max"},
        "left_out": {"softmax": {"gone": "there is no such pass"}},
        "failures": {},
        "cells": [*cells, {**_cell(64, {}, []), "us": {}}],
    }
    del record["cells"][-1]["us"]
    record["cells"][-1]["failed"] = "out of memory"
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(record))
    return path


def test_tables(recorded: Path) -> None:
    shown = tables(recorded)
    assert "| softmax | 0.99 (0.50 .. 2.00), 1 of 3 |" in shown
    assert "| fused | 0.99, 0.50 | 0.95, 0.95 |  |  | 0.66, 0.49 |" in shown
    # Data that fit the cache, of rows of 100, say nothing of memory.
    aims = [line for line in shown.splitlines() if "never below" in line]
    assert aims == [
        "| share of the copy, rows of 4096 to 32768 | never below 0.95 | 0.67 | 0.50 | 2 of 2 |",
        "| Liger / ours | never below 0.98 | 0.95 | 0.95 | 1 of 1 |",
    ]
    assert "<summary>fused: 1 losses</summary>" in shown
    assert "| softmax | fp16 | 1000 x 100 | 0.50 | 0.40 .. 0.60 |" in shown
    assert "- gone: there is no such pass (everywhere)" in shown
    assert "- failed: softmax, fp16, 1000 x 64: out of memory" in shown


def test_points_of_the_plot(recorded: Path) -> None:
    report = Report(json.loads(recorded.read_text()))
    assert shares(report, "softmax", report.share) == [(4096, 0.9), (8192, 0.5)]
    of_liger = shares(report, "softmax", lambda cell: report.share(cell, LIGER))
    assert of_liger == [(4096, pytest.approx(18 / 19))]


def test_the_plot_is_the_same_each_time(recorded: Path, tmp_path: Path) -> None:
    drawn = []
    for name in ("one.svg", "other.svg"):
        plot(recorded, tmp_path / name)
        drawn.append((tmp_path / name).read_text())
    assert drawn[0] == drawn[1]
    assert "softmax" in drawn[0] and "as written" in drawn[0]


def test_the_plot_of_the_readme_is_that_of_the_record(tmp_path: Path) -> None:
    plot(ROOT / "benchmarks" / "results" / "rows-nvidia-h200.json", tmp_path / "rows.svg")
    assert (tmp_path / "rows.svg").read_text() == (ROOT / "docs" / "rows.svg").read_text()
    assert "](docs/rows.svg)" in (ROOT / "README.md").read_text()
