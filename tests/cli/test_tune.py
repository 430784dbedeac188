"""`tritonopt tune` as a command, with planted times; what it decides: tests/tuning/test_tune.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.layers import few
from tests.tuning.test_tune import (
    ARGS,
    EXAMPLE,
    SERVER,
    WINS_LATER,
    Planted,
    start_nothing,
)
from tests.tuning.test_tune import processes as processes
from tritonopt.cli import tune as command
from tritonopt.cli.main import main
from tritonopt.measurement.results import Ratio
from tritonopt.tuning.applying import checking

Run = Callable[..., tuple[int, str, str]]
QUICK = ("--passes", "one-tile", "--keep-parameters", "--budget", "5m", "--precision", "0.01")


@pytest.fixture
def planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Planted:
    """The command, with workers that know a plan in place of a GPU."""
    found = Planted(tmp_path)
    if "processes" not in request.fixturenames:
        start_nothing(monkeypatch)
    monkeypatch.setenv("TRITONOPT_PLANTED", str(found.plan))
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    usual = command._requests

    def requests(arguments: Any) -> tuple[list[Any], bool]:
        servers = {"server": SERVER, "verifier": "tests.tuning.yes_server"}
        found, wrong = usual(arguments)
        return [replace(request, **servers) for request in found], wrong

    monkeypatch.setattr(command, "_requests", requests)
    module = import_module("tritonopt.tuning.bench")  # `bench` is a function there
    monkeypatch.setattr(module, "check_gpu", lambda: None)
    monkeypatch.setattr(checking, "checks_of", partial(checking.checks_of, server=SERVER))
    return found


@pytest.fixture
def run(
    planted: Planted, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    def call(*given: str) -> tuple[int, str, str]:
        store = str(planted.folder / "store.sqlite")
        code = main(["tune", str(planted.file), *given, *QUICK, "--store", store])
        return code, *capsys.readouterr()

    return call


def test_a_diff_then_the_file_then_a_check(planted: Planted, processes: None, run: Run) -> None:
    planted.plan.write_text(json.dumps({"rules": WINS_LATER}))
    before = planted.file.read_text()
    code, out, err = run("--args", ARGS)
    assert code == 0
    assert out.startswith("--- a/") and "+    if n >= 64:" in out
    assert "planted GPU" in err and "where n >= 64" in err and "new code" in err
    assert planted.file.read_text() == before

    code, out, err = run("--args", ARGS, "--write", "--format", "json")
    (found,) = json.loads(out)["launchers"]
    assert code == 0 and found["spent"]["timing"] > 0
    assert "if n >= 64:" in planted.file.read_text()
    assert (planted.folder / ".tritonopt" / "softmax.json").exists()

    code, out, err = run("--check")
    assert code == 0 and out.count("holds") == 4
    code, out, err = run("--check", "--format", "json")
    calls = json.loads(out)["calls"]
    assert code == 0 and [call["gain"] for call in calls] == [False, False, True, True]
    assert all(call["holds"] and call["now"][1] <= call["now"][0] for call in calls)
    planted.plan.write_text(json.dumps({"rules": [{"kernel": "ONE_TILE", "factor": 1.2}]}))
    code, out, err = run("--check")
    assert code == 1 and out.count("no longer holds") == 2
    planted.file.write_text(planted.file.read_text().replace("if n >= 64", "if n > 64"))
    code, out, err = run("--check")
    assert code == 2 and "tune it again" in err


@pytest.mark.thorough
def test_what_became_of_the_file_is_seen(planted: Planted, run: Run, tmp_path: Path) -> None:
    planted.plan.write_text(json.dumps({"rules": [{"kernel": "ONE_TILE", "factor": 0.7}]}))
    assert run("--args", ARGS, "--write")[0] == 0
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "link.py").symlink_to(planted.file)
    for path in (folder / "link.py", tmp_path):
        assert main(["tune", str(path), "--check", *QUICK]) == 0
    planted.file.rename(tmp_path / "renamed.py")
    assert main(["tune", str(tmp_path), "--check", *QUICK]) == 2


def test_a_file_that_cannot_be_written_leaves_the_others(planted: Planted, tmp_path: Path) -> None:
    planted.plan.write_text(json.dumps({"rules": [{"kernel": "ONE_TILE", "factor": 0.7}]}))
    first = tmp_path / "a_softmax.py"
    first.write_text(planted.file.read_text())
    (tmp_path / ".tritonopt").mkdir()
    (tmp_path / ".tritonopt" / "a_softmax.json").write_bytes(b"\xff")
    given = ["--args", ARGS, "--write", "--store", str(tmp_path / "store")]
    assert main(["tune", str(tmp_path), *given, *QUICK]) == 2
    assert "ONE_TILE" in planted.file.read_text() and "ONE_TILE" not in first.read_text()


@pytest.mark.parametrize(
    ("now", "holds"),
    [
        ((1.4, 1.39, 1.41), True),
        ((1.02, 0.99, 1.05), True),
        ((1.006, 1.001, 1.011), True),
        ((1.002, 0.999, 1.005), False),
        ((0.99, 0.97, 1.02), False),
        ((0.9, 0.89, 0.91), False),
    ],
)
def test_a_gain_holds_while_it_may_be_worth_something(
    now: tuple[float, float, float], holds: bool
) -> None:
    check = checking.Check(Path("f.py"), "f", "n=64", (1.4, 1.39, 1.41), Ratio(*now, 50), True)
    assert check.holds == holds


@pytest.mark.parametrize("more", few(["softmax.py", ".", "softmax.py:softmax_kernel"], 1))
def test_what_is_given_twice_is_tuned_once(
    planted: Planted, run: Run, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    planted.plan.write_text("{}")
    monkeypatch.chdir(planted.folder)
    code, out, _ = run(more, "--args", ARGS, "--format", "json", "--budget", "0.1s")
    assert code == 0 and len(json.loads(out)["launchers"]) == 1


def test_other_results_are_not_what_was_accepted() -> None:
    ratio = Ratio(1.4, 1.39, 1.41, 50)
    check = checking.Check(Path("f.py"), "f", "n=64", (1.4, 1.39, 1.41), ratio, True)
    assert check.holds and str(check).endswith("holds")
    check = replace(check, failure="the results differ by 3e-1 of the largest value")
    assert not check.holds and "no longer holds, for the results differ" in str(check)


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(
    "given, said",
    [
        (["--args", "x: f32[m=4..2]"], "a range goes up"),
        (["--args", "x: f32[m=4, n=16]", "--launcher", "none"], "no launcher `none`"),
        (["--check"], "nothing was tuned here"),
        (["--args", ARGS, "--", "python", "bench.py"], "the command chooses the calls"),
    ],
)
def test_mistakes_are_said(run: Run, given: list[str], said: str) -> None:
    code, _, err = run(*given)
    assert code == 2 and said in err


@pytest.mark.usefixtures("planted")
def test_a_pass_that_is_none_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["tune", str(tmp_path), "--passes", "none", "--store", str(tmp_path / "store")]
    assert main(given) == 2
    assert "there is no pass 'none'" in capsys.readouterr().err


@pytest.mark.usefixtures("planted")
def test_a_directory_without_kernels_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "other.py").write_bytes(b"\xff\xfe")
    assert main(["tune", str(empty), "--store", str(tmp_path / "store")]) == 2
    err = capsys.readouterr().err
    assert f"no Triton kernel in {empty}" in err and "other.py" in err


def test_a_file_that_cannot_be_called_so_is_an_error_and_the_others_are_tuned(
    planted: Planted, run: Run
) -> None:
    planted.plan.write_text(json.dumps({"rules": WINS_LATER}))
    other = planted.folder / "layer_norm.py"
    other.write_text((EXAMPLE.parent / "layer_norm.py").read_text(encoding="utf-8"))
    code, out, err = run(str(other), "--args", ARGS)
    assert "also needs weight, bias" in err
    assert "if n >= 64:" in out and code == 2


@pytest.mark.usefixtures("planted")
def test_what_is_true_of_several_files_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.py").write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    given = ["--no-gpu", "--budget", "0.001s", "--store", str(tmp_path / "store.sqlite")]
    assert main(["tune", str(tmp_path), *given]) == 0
    err = capsys.readouterr().err
    assert err.count("no sizes were given") == 1 and "other.py: softmax" in err


@pytest.mark.parametrize("text", ["soon", "0", "10 days"])
def test_a_budget_is_a_time(text: str) -> None:
    with pytest.raises(SystemExit):
        main(["tune", "x.py", "--budget", text])


def test_without_a_gpu_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert main(["tune", str(tmp_path)]) == 2
    assert "--no-gpu" in capsys.readouterr().err


def test_undo_puts_back_what_stood_there(planted: Planted, run: Run) -> None:
    planted.plan.write_text(json.dumps({"rules": WINS_LATER}))
    before = planted.file.read_text()
    assert run("--args", ARGS, "--write")[0] == 0 and planted.file.read_text() != before
    code, out, err = run("--undo")
    assert (code, out) == (0, "") and "softmax as before" in err
    assert planted.file.read_text() == before
    code, _, err = run("--undo")
    assert code == 2 and "nothing was tuned here" in err


@pytest.mark.parametrize("action", ["--undo", "--check"])
def test_a_file_that_is_not_there_is_said(
    planted: Planted, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    missing = planted.folder / "missing.py"
    assert main(["tune", str(missing), action]) == 2
    assert f"{missing}: does not exist" in capsys.readouterr().err
