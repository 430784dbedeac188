"""The journeys of examples/references: what is shown is what is made, and each stage is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.references import JOURNEYS, Journey, replay, shown, shown_at, table, verified
from tests.layers import few
from tests.test_examples import RUN_ALL

EACH = pytest.mark.parametrize("journey", JOURNEYS, ids=[j.name for j in JOURNEYS])


@EACH
def test_the_stages_that_are_shown_are_those_that_are_made(journey: Journey) -> None:
    """`benchmarks/references.py --write` writes them anew: read the difference."""
    made = shown(journey)
    written = shown_at(journey).read_text(encoding="utf-8")
    assert written == made, "run `PYTHONPATH=. python benchmarks/references.py --write`"


@pytest.mark.parametrize("stages", few(["the last", "all"], 0))
def test_every_stage_agrees_with_torch(stages: str, root: Path, tmp_path: Path) -> None:
    files = sorted(root.glob("examples/references/*.py"))
    for number, journey in enumerate(JOURNEYS):
        made = [at.text for at in replay(journey) if not at.why_not]
        for place, text in enumerate(made if stages == "all" else made[-1:]):
            files.append(tmp_path / f"journey_{number}_{place}.py")
            files[-1].write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL, *map(str, files)],
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == len(files) > (25 if stages == "all" else 12)
    assert all(line.endswith("with torch on cpu") for line in said)


NEVER_RUNS = {
    ("layer norm backward, rows of any length", "grid-stride{programs=sm*8}"): (
        # Rows are split among programs only where there are fewer tiles than programs.
        "never had a second iteration: `for tile in range(tl.program_id(0), num_tiles, "
        "tl.num_programs(0)):`"
    ),
}
"""Stages of which a part runs for no call, and what is said of it."""


@pytest.mark.thorough
@EACH
def test_every_stage_is_verified(journey: Journey, root: Path) -> None:
    before = (root / "examples" / f"{journey.path}.py").read_text(encoding="utf-8")
    for at in replay(journey):
        if not at.why_not:
            said, expected = verified(journey, before, at.text), ("identical", "equivalent")
            never = NEVER_RUNS.get((journey.name, at.stage.passes))
            assert said.startswith(expected) if never is None else never in said, said
        before = at.text


def test_the_table_that_is_shown_is_that_of_the_record(root: Path) -> None:
    record = root / "benchmarks" / "results" / "references-nvidia-h200.json"
    shown_table = (root / "examples" / "references" / "measured.md").read_text(encoding="utf-8")
    assert shown_table.endswith(table(json.loads(record.read_text(encoding="utf-8"))) + "\n")


def test_the_table_has_losses_and_what_is_not_made() -> None:
    stages = [
        {"what": "one", "passes": "p", "why_not": ""},
        {"what": "two", "passes": "q", "why_not": "no pass"},
        {"what": "three", "passes": "r", "why_not": ""},
    ]
    us = {"as it begins": 10.0, "p": 5.0, "r": 20.0, "copy": 4.0}
    calls = [{"arguments": "f32[8, 4], f32[4]", "us": us}]
    row = {"name": "sum", "path": "sums", "stages": stages, "calls": calls}
    report = json.loads(json.dumps({"journeys": [row]}))
    assert table(report).splitlines()[2:] == [
        "| stage | pass | f32[8, 4] |",
        "| --- | --- | --- |",
        "| as it begins |  | 10 us, 0.40 |",
        "| one | `p` | 2.00x (2.00x), 0.80 |",
        "| two | `q` | not made: no pass |",
        "| three | `r` | 0.50x (0.25x), 0.20 |",
    ]
