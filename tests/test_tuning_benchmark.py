"""The benchmark of `tune`: what it asks, what it makes of the answers, and all of it together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tuned import findings, records
from benchmarks.tuned.tasks import EXAMPLES, FLAGGEMS, LIGER, OF_EXAMPLES, ROOT, chosen, tasks
from tritonopt.measurement.results import Ratio, Row, Times
from tritonopt.measurement.tuned import Answer, Fate, Tried, TunedRow
from tritonopt.reporting.json import tuning_report
from tritonopt.tuning.asked import requests_of
from tritonopt.tuning.requests import Request
from tritonopt.tuning.subjects import Wanted


def test_a_run_that_is_cut_has_seen_every_group() -> None:
    every = tasks([EXAMPLES, FLAGGEMS, LIGER], Path("scripts"))
    assert len({task.key for task in every}) == len(every)
    assert [task.group for task in every[:3]] == [EXAMPLES, FLAGGEMS, LIGER]
    counts = [sum(task.group == group for task in every) for group in (FLAGGEMS, LIGER)]
    assert min(counts) >= 20
    assert {task.place for task in every if task.group == EXAMPLES} == set(OF_EXAMPLES)


@pytest.mark.parametrize("place", OF_EXAMPLES)
def test_the_calls_of_an_example_are_stated(place: str) -> None:
    file, _, kernel = place.partition(":")
    wanted = Wanted(ROOT / "examples" / file, None, about=kernel or None, args=OF_EXAMPLES[place])
    asked = requests_of(wanted, Request("", "", "", ()))
    assert not asked.errors
    (request,) = asked.requests
    assert 2 <= len(request.calls) <= 8


def answer(accepted: bool) -> dict[str, Any]:
    times = {"original": Times(20.0, 20, 20, 9), "tuned": Times(10.0, 10, 10, 9)}
    fresh = Row("f", "x f16[8]", {"n": 8}, times, Ratio(2.0, 1.9, 2.1, 9))
    rows = (
        TunedRow("x f16[8]", {"n": 8}, fresh, fresh, "rows", Ratio(2.1, 2, 2.2, 9), True),
        TunedRow("x f16[4]", {"n": 4}, None, fresh),
    )
    tried = (Tried("rows", "", Fate.ACCEPTED), Tried("all", "", Fate.REFUSED, "differs\nhere"))
    text = "new\n" if accepted else "old\n"
    given = Answer("f.py", "f", "old\n", text, "rows", "n >= 8", rows, tried, seconds=9.0)
    (found,) = json.loads(tuning_report([given]))["launchers"]
    return findings.compact(found)


def test_what_was_not_accepted_is_no_gain_and_what_is_slower_afresh_is_counted() -> None:
    new, old = answer(True), answer(False)
    assert (new["what"], new["calls"][0]["ratio"], new["refused"]) == (
        "rows",
        [2.0, 1.9, 2.1],
        {"differs": 1},
    )
    assert old["what"] == "" and "ratio" not in old["calls"][0]
    call = {"gain": True, "call": "x", "then": [2.0, 1.9, 2.1], "now": [0.9, 0.8, 1.0]}
    afresh = [{**call, "holds": False}, {**call, "now": None, "holds": False}]
    found = {
        "examples/a": {"launchers": [new, old], "afresh": afresh, "seconds": 20.0},
        "liger/b": {"launchers": [], "failure": "no such file"},
    }
    totals = findings.totals(found)
    assert totals["launchers_accepted"] == 1 and totals["calls"] == 4
    assert totals["geometric_mean_of_new_code"] == 2.0
    assert totals["geometric_mean_of_all_calls"] == pytest.approx(2 ** (1 / 4), abs=1e-3)
    assert totals["afresh"]["below_0.98"] == 1 and totals["afresh"]["not_measured"] == 1
    assert totals["groups"]["liger"]["files_without_an_answer"] == 1
    assert findings.best(found, 5) == []
    afresh[0]["now"] = [1.9, 1.8, 2.0]
    assert findings.best(found, 5) == ["examples/a"]


def test_a_record_is_taken_into_the_page() -> None:
    said = "`/opt/bin/python3 /a/b.py /tmp/x.y/scripts 60` of scripts/name.py, 1/2"
    assert findings.without_places(said) == "`python3 b.py scripts 60` of scripts/name.py, 1/2"
    found = {"examples/a": {"launchers": [answer(True)], "seconds": 20.0}}
    totals, accepted = findings.tables([record(found)])
    assert "| examples/a | A | `rows`, where `n >= 8` | 1 of 2 | 2.00x to 2.00x | - |" in accepted
    page = "before\n\n{}\n\nbetween\n\n{}\nbehind\n"
    old = page.format(totals + "\n| more |", accepted.splitlines()[0])
    new = findings.in_place(findings.in_place(old, totals), accepted)
    assert new == page.format(totals, accepted)


def record(found: dict[str, Any], gpu: str = "A", date: str = "2026-11-02") -> dict[str, Any]:
    versions = dict.fromkeys(("torch", "triton", "cuda"), "1")
    rest = {"not_begun": ["examples/c"], "speed_up": None, "results": found}
    return {"gpu": gpu, "date": date, **versions, "totals": findings.totals(found), **rest}


def test_a_later_run_is_added_to_the_record_of_its_gpu() -> None:
    nothing = {"launchers": [], "failure": "no GPU"}
    cut = {"launchers": [answer(True)], "waiting": True}
    whole = {"launchers": [answer(False)], "waiting": False}
    old = record({"x/a": nothing, "x/b": whole, "x/d": cut, "x/e": cut}, date="2026-11-01")
    new = record({"x/a": cut, "x/b": cut, "x/d": whole, "x/e": nothing, "examples/c": whole})
    both = records.merged(old, new)
    kept = {key: (one["date"][-1], one.get("waiting")) for key, one in both["results"].items()}
    assert kept == {
        "x/a": ("2", True),  # an answer, where there was none
        "x/b": ("1", False),  # all variants had been looked at
        "x/d": ("2", False),
        "x/e": ("1", True),
        "examples/c": ("2", False),
    }
    assert both["not_begun"] == [] and both["totals"] == findings.totals(both["results"])
    assert records.merged(both, new)["results"] == both["results"]
    with pytest.raises(ValueError, match="triton is 2, and 1 in the record"):
        records.merged(old, {**new, "triton": "2"})


def test_files_that_were_tuned_on_two_gpus_count_once() -> None:
    one = record({"x/a": {"launchers": [answer(True)]}, "x/b": {"launchers": []}})
    other = record({"x/a": {"launchers": []}, "x/b": {"launchers": [answer(False)]}}, "B")
    rows = [line.split(" | ") for line in findings.table([one, other]).splitlines()[2:]]
    counts = [row[:6] for row in rows]
    assert counts == [
        ["| x", "A", "2", "1", "1", "2"],
        ["| all", "A", "2", "1", "1", "2"],
        ["| x", "B", "2", "1", "0", "2"],
        ["| all", "B", "2", "1", "0", "2"],
        ["| x", "each once", "2", "2", "1", "4"],
        ["| all", "each once", "2", "2", "1", "4"],
    ]
    # Means are of one GPU.
    assert [row[7] for row in rows] == ["2.000x", "2.000x", "-", "-", "-", "-"]
    table = "\n".join(findings.accepted([one, other]))
    assert "| x/a | A |" in table and "| B |" not in table


def test_tasks_are_chosen_in_the_order_of_the_words() -> None:
    every = tasks([EXAMPLES, FLAGGEMS, LIGER], Path("scripts"))
    keys = [task.key for task in chosen(every, ["liger/rms_norm", "flaggems/mean", "mhc", "mean"])]
    assert keys == ["liger/rms_norm", "flaggems/mean", "liger/mhc", "flaggems/var_mean"]
    assert chosen(every, []) == every


@pytest.mark.thorough
def test_all_of_it_with_planted_times(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    rules = [
        {"kernel": "ONE_TILE", "sizes": {"n": [4096, 10**6]}, "factor": 0.7},
        {"kernel": "ONE_TILE", "sizes": {"n": [1, 4095]}, "factor": 1.2},
    ]
    plan.write_text(json.dumps({"rules": rules}))
    environment = {
        **os.environ,
        "TRITONOPT_PLANTED": str(plan),
        "TRITON_INTERPRET": "1",
        "PYTHONPATH": str(ROOT),
    }
    out = tmp_path / "tuning.json"
    command = [
        *(sys.executable, str(ROOT / "benchmarks" / "tuning.py"), "--work", str(tmp_path / "work")),
        *("--only", "examples/softmax", "--gpus", "0", "--each", "60", "--out", str(out)),
        *("--tritonopt", f"{sys.executable} -m tests.tuning.planted_command"),
    ]
    said = []
    for more in ([], [], ["--check"]):
        ran = subprocess.run(
            [*command, *more], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        said.append(ran.stdout)
    assert " where n >= 4096, 1.4" in said[0] and "+    if n >= 4096:" in said[0]
    logs = tmp_path / "work" / "logs" / "examples"
    assert {path.name for path in logs.iterdir()} == {"softmax.tune", "softmax.check"}
    totals = json.loads(out.read_text())["totals"]
    assert totals["launchers_accepted"] == 1 and totals["calls_with_new_code"] == 2
    assert totals["geometric_mean_of_new_code"] == pytest.approx(1 / 0.7, abs=0.01)
    assert totals["afresh"]["calls"] == 4 and totals["afresh"]["below_0.98"] == 0
    assert totals["seconds_timing"] > 0
