"""The loop of examples/judge: a folder of candidates in, a table out."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path

import pytest

from tritonopt import verification
from tritonopt.verification import Verdict
from tritonopt.verification.verdict import Cheat

JUDGE = Path(__file__).resolve().parents[2] / "examples" / "judge"


@pytest.fixture(autouse=True)
def asks_for_no_cheats() -> None:
    """It is asked here."""


def table(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: Path = JUDGE / "candidates",
) -> list[list[str]]:
    arguments = ["judge.py", str(JUDGE / "softmax.py"), str(folder), "120"]
    monkeypatch.setattr(sys, "argv", arguments)
    runpy.run_path(str(JUDGE / "judge.py"), run_name="__main__")
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_the_table_has_a_line_for_every_candidate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {
        "not_shifted.py": Verdict("counterexample", "x", 3, counterexample="softmax is called"),
        "one_tile.py": Verdict("equivalent", "x", 3),
        "torch_does_it.py": Verdict("counterexample", "x", 3, cheats=(Cheat("no-kernel", ""),)),
    }
    monkeypatch.setattr(verification, "verify", lambda _, path, options: found[path.name])
    assert table(monkeypatch, capsys) == [
        ["not_shifted.py", "no", "counterexample", "softmax", "is", "called"],
        ["one_tile.py", "yes", "equivalent"],
        ["torch_does_it.py", "no", "counterexample", "no-kernel"],
    ]


def test_a_folder_is_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shutil.copy(JUDGE / "candidates" / "not_shifted.py", tmp_path)
    ((name, answer, *_),) = table(monkeypatch, capsys, tmp_path)
    assert (name, answer) == ("not_shifted.py", "no")


@pytest.mark.thorough(instead="test_a_folder_is_judged")
def test_the_candidates_are_what_they_are_called(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {name: answer for name, answer, *_ in table(monkeypatch, capsys)}
    assert answers == {"not_shifted.py": "no", "one_tile.py": "yes", "torch_does_it.py": "no"}
