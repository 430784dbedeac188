"""Accepted texts: put together, undone again, and when a measurement accepts at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tritonopt.measurement.results import Ratio
from tritonopt.source import SourceError
from tritonopt.tuning.acceptance import failing, is_accepted, is_claim
from tritonopt.tuning.applying.merging import merged
from tritonopt.tuning.applying.outcome import Outcome, written
from tritonopt.tuning.applying.records import RecordError, _changes, recorded, undone

TEXT = "".join(f"line{n} = {n}\n" for n in range(30))


def test_changes_in_different_places_go_together() -> None:
    one, two = TEXT.replace("= 3\n", "= 'x'\n"), TEXT.replace("= 20\n", "= 'y'\nmore = 1\n")
    text, left_out = merged(TEXT, [one, two])
    assert text == one.replace("= 20\n", "= 'y'\nmore = 1\n") and not left_out


def test_of_two_changes_in_one_place_the_first_stays() -> None:
    one, two = TEXT.replace("= 3\n", "= 'x'\n"), TEXT.replace("= 3\n", "= 'y'\n")
    assert merged(TEXT, [one, two, TEXT.replace("= 9\n", "= 'z'\n")]) == (
        one.replace("= 9\n", "= 'z'\n"),
        [1],
    )


@pytest.mark.parametrize(
    "new",
    [
        TEXT.replace("= 3\n", "= 'x'\n").replace("= 4\n", "").replace("= 22\n", "= 5\n\n\n"),
        TEXT + TEXT,  # the same lines stand there twice
        TEXT[10:],
    ],
)
def test_what_was_changed_can_be_undone(new: str) -> None:
    assert undone(new, _changes(TEXT, new), "") == TEXT


def test_edits_elsewhere_stay_and_edits_there_are_seen() -> None:
    new = TEXT.replace("= 15\n", "= 'x'\n")
    changes = _changes(TEXT, new)
    assert undone(new + "end = 1\n", changes, "") == TEXT + "end = 1\n"
    with pytest.raises(RecordError, match="tune it again"):
        undone(new.replace("'x'", "'y'"), changes, "")


def test_a_record_of_another_version_is_said(tmp_path: Path) -> None:
    record = tmp_path / ".tritonopt" / "file.json"
    record.parent.mkdir()
    for text, said in ((json.dumps({"version": 99}), "another version"), ("{", "is no record")):
        record.write_text(text)
        with pytest.raises(RecordError, match=said):
            recorded(tmp_path / "file.py", TEXT)


def ratio(value: float, width: float = 0.004) -> Ratio:
    return Ratio(value, value - width, value + width, 50)


def test_a_gain_is_accepted_where_a_second_measurement_bears_it_out() -> None:
    claimed = {"a": ratio(1.2)}
    assert is_accepted({"a": ratio(1.2), "b": ratio(0.998)}, claimed)
    assert not is_accepted({"a": ratio(1.002)}, claimed)  # luck
    assert not is_accepted({"a": ratio(1.006)}, claimed)  # not worth it
    assert not is_accepted({"b": ratio(1.2)}, claimed)  # not what was claimed
    assert not is_accepted({"a": ratio(1.2), "b": ratio(0.98)}, claimed)
    assert not is_accepted({"a": ratio(1.2), "b": ratio(1.0, 0.02)}, claimed)  # who knows
    assert not is_accepted({"a": ratio(1.2), "b": None}, claimed)
    assert not is_claim(ratio(1.006))
    assert set(failing({"a": ratio(1.002), "b": None, "c": ratio(1.1)}, claimed)) == {"a", "b"}


def test_a_file_that_changed_meanwhile_is_left_with_its_record(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("theirs = 1\n")
    outcome = Outcome(file, TEXT, TEXT + "x = 1\n", ({"launcher": "f"},), ())
    with pytest.raises(SourceError, match="has changed since it was tuned"):
        written(outcome)
    assert file.read_text() == "theirs = 1\n"
    assert not outcome.record.exists()


def test_a_record_can_be_read_by_whoever_can_read_the_file(tmp_path: Path) -> None:
    """It is made to be checked in."""
    file = tmp_path / "file.py"
    file.write_text(TEXT)
    outcome = Outcome(file, TEXT, TEXT + "x = 1\n", ({"launcher": "f"},), ())
    written(outcome)
    assert outcome.record.stat().st_mode == file.stat().st_mode
