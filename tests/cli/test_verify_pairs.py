"""`tritonopt verify` of directories: every file that differs has an answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_verify import DIFFERENT, EQUIVALENT, SCALE, UNKNOWN
from tritonopt.cli import verify_pairs
from tritonopt.cli.main import main
from tritonopt.engines import Answer, Outcome, Task
from tritonopt.verification import Verdict, VerificationError, api

BEFORE = {"a.py": SCALE, "sub/b.py": SCALE, "same.py": SCALE, "helper.py": "x = 1\n"}


def lay_out(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Two directories, with what is changed in the second, and a verdict by the file's name."""
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path / "before", BEFORE)

    def run(after: dict[str, str | None], verdicts: dict[str, Any], *options: str) -> int:
        new = {name: text for name, text in {**BEFORE, **after}.items() if text is not None}
        lay_out(tmp_path / "after", new)

        def verify(original: Path, rewritten: Path, **_: Any) -> Verdict:
            assert original.read_text() != rewritten.read_text()
            found = verdicts[original.relative_to("before").as_posix()]
            if isinstance(found, Exception):
                raise found
            assert isinstance(found, Verdict)
            return found

        monkeypatch.setattr(api, "verify", verify)
        return main(["verify", "before", "after", "--engine", "inline", *options])

    return run


CHANGED = SCALE.replace("x * 2", "x + x")


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ({"a.py": EQUIVALENT, "sub/b.py": EQUIVALENT}, 0),
        ({"a.py": EQUIVALENT, "sub/b.py": UNKNOWN}, 3),
        ({"a.py": DIFFERENT, "sub/b.py": UNKNOWN}, 1),
        ({"a.py": EQUIVALENT, "sub/b.py": VerificationError("say --args")}, 3),
    ],
)
def test_exit_codes(judged: Any, verdicts: dict[str, Any], code: int) -> None:
    assert judged({"a.py": CHANGED, "sub/b.py": CHANGED}, verdicts) == code


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ({"helper.py": "x = 2\n"}, "it differs, and has no kernel that could be run"),
        ({"helper.py": "x = (\n"}, "it cannot be read"),
        ({"new.py": "x = 1\n"}, "it is only in after"),
        ({"sub/b.py": None}, "it is only in before"),
    ],
)
def test_what_cannot_be_run_is_no_yes(
    judged: Any, after: dict[str, str | None], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judged({"a.py": CHANGED, **after}, {"a.py": EQUIVALENT}) == 3
    assert reason in capsys.readouterr().out


def test_what_says_the_same_is_not_run(judged: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert judged({"helper.py": "x = 1  # one\n"}, {}) == 0
    assert capsys.readouterr().out == (
        "0 files differ: 0 verified, 0 with a counterexample, 0 without a verdict; "
        "4 files say the same\n"
    )


def test_the_table(judged: Any, capsys: pytest.CaptureFixture[str]) -> None:
    different = Verdict(
        "counterexample", "interpreter: x", 3, counterexample="y[0]", script="print('it')\n"
    )
    assert judged(
        {"a.py": CHANGED, "sub/b.py": CHANGED}, {"a.py": EQUIVALENT, "sub/b.py": different}
    )
    above, _, table = capsys.readouterr().out.partition("\n\n")
    assert above.startswith("sub/b.py\n  counterexample: 3 examples\n")
    assert above.endswith("written as a script: python counterexample_sub_b.py")
    assert Path("counterexample_sub_b.py").read_text() == "print('it')\n"
    assert [line.split() for line in table.splitlines()[:3]] == [
        ["verdict", "file", "examples", "seconds", "where"],
        ["equivalent", "a.py", "9", "0.0", "interpreter"],
        ["counterexample", "sub/b.py", "3", "0.0", "interpreter"],
    ]
    assert table.endswith(
        "2 files differ: 1 verified, 1 with a counterexample, 0 without a verdict; "
        "2 files say the same\n"
    )


def test_json(judged: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = {"a.py": EQUIVALENT, "sub/b.py": UNKNOWN}
    assert judged({"a.py": CHANGED, "sub/b.py": CHANGED}, found, "--format=json") == 3
    said = json.loads(capsys.readouterr().out)
    assert said["same"] == 2 and said["error"] is None
    assert [(p["name"], p["verdict"], p["reason"]) for p in said["pairs"]] == [
        ("a.py", "equivalent", None),
        ("sub/b.py", "unsupported", "bf16 arithmetic"),
    ]


def test_a_process_that_dies_is_no_answer() -> None:
    for outcome in (Outcome.DIED, Outcome.TIMED_OUT, Outcome.FAILED):
        found = verify_pairs._verdict_of(Answer(Task("a", ""), outcome, reason="so it was"))
        assert found.verdict == "unsupported"
        assert found.reason == f"the verification {outcome.value}: so it was"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("before after --args x:f32[n]", "--args applies to one file"),
        ("before after -- pytest", "`-- COMMAND` applies to one file"),
        ("before before/a.py", "two files or two directories, not one of each"),
        ("before nowhere", "nowhere: does not exist"),
        ("before/a.py before/a.py --pair before/a.py nowhere", "nowhere: does not exist"),
        ("before/a.py before/a.py --engine local", "--engine and --jobs are for several files"),
        ("before after --engine loca", "there is no engine 'loca'"),
        ("before after --engine inline --jobs 2", "one task at a time"),
        ("before after --engine ray", "[ray]'"),
    ],
)
def test_what_is_wrong_is_said(
    judged: Any,
    arguments: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    judged({"a.py": CHANGED}, {"a.py": EQUIVALENT})
    monkeypatch.setitem(sys.modules, "ray", None)
    try:
        assert main(["verify", *arguments.split()]) == 2
    except SystemExit as end:
        assert end.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.thorough
def test_end_to_end(judged: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = SCALE.replace("x * 2", "x * 3")
    found = {"a.py": EQUIVALENT, "sub/b.py": EQUIVALENT}
    judged({"a.py": CHANGED, "sub/b.py": wrong}, found)
    capsys.readouterr()
    command = "verify before after --engine local --jobs 1 --backend interpreter --max-examples 3"
    assert main(command.split()) == 1
    table = capsys.readouterr().out.partition("\n\n")[2].splitlines()
    assert [line.split()[:2] for line in table[1:3]] == [
        ["identical", "a.py"],
        ["counterexample", "sub/b.py"],
    ]


def test_several_candidates_of_one_original(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One process verifies all of them; what is said of the original is said to each."""
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path, {"reference.py": "x = 1\n", "a.py": SCALE, "b.py": SCALE})
    asked: list[dict[str, Any]] = []

    def verify(original: Path, rewritten: Path, **options: Any) -> Verdict:
        asked.append({"original": str(original), "rewritten": str(rewritten), **options})
        return EQUIVALENT if rewritten.name == "a.py" else UNKNOWN

    monkeypatch.setattr(api, "verify", verify)
    given = ["--args", "x: f32[n]", "--budget", "30s", "--require", "kernel", "--format", "json"]
    assert main(["verify", "reference.py", "a.py", "b.py", *given]) == 3
    said = json.loads(capsys.readouterr().out)
    assert [(p["name"], p["verdict"], p["fault"]) for p in said["pairs"]] == [
        ("a.py", "equivalent", None),
        ("b.py", "unsupported", "tool"),
    ]
    assert all(one["original"] == "reference.py" for one in asked)
    assert all(one["args"] == "x: f32[n]" and one["budget"] == 30.0 for one in asked)
    assert asked[0]["remembered"] is asked[1]["remembered"]
