"""Accepted texts: put together, undone again, and when a measurement accepts at all."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.measurement.results import Ratio, Row, Times
from tritonopt.measurement.tuned import Answer, TunedRow
from tritonopt.source import SourceError
from tritonopt.tuning.acceptance import failing, is_accepted, is_claim
from tritonopt.tuning.applying.merging import merged
from tritonopt.tuning.applying.outcome import Outcome, outcomes, written
from tritonopt.tuning.applying.records import (
    RecordError,
    changes,
    path_of,
    put_back,
    recorded,
    undone,
)
from tritonopt.tuning.requests import Request
from tritonopt.tuning.shapes import calls_of
from tritonopt.verification.signature.argument_parser import parse


def ratio(value: float, width: float = 0.004) -> Ratio:
    return Ratio(value, value - width, value + width, 50)


TEXT = "".join(f"line{n} = {n}\n" for n in range(30))


def test_changes_in_different_places_go_together() -> None:
    one, two = TEXT.replace("= 3\n", "= 'x'\n"), TEXT.replace("= 20\n", "= 'y'\nmore = 1\n")
    assert merged(TEXT, [one, two]) == one.replace("= 20\n", "= 'y'\nmore = 1\n")


def test_two_changes_in_one_place_do_not() -> None:
    one, two = TEXT.replace("= 3\n", "= 'x'\n"), TEXT.replace("= 3\n", "= 'y'\n")
    assert merged(TEXT, [one, two]) is None
    assert merged(TEXT, [one, TEXT.replace("= 9\n", "= 'z'\n")]) is not None


FILE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def one_kernel(x, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + cols, 2 * tl.load(x + cols, mask=cols < n), mask=cols < n)


def one(x):
    one_kernel[(triton.cdiv(x.numel(), 64),)](x, x.numel(), BLOCK=64)


@triton.jit
def two_kernel(x, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + cols, 3 * tl.load(x + cols, mask=cols < n), mask=cols < n)


def two(x):
    one(x)
    two_kernel[(triton.cdiv(x.numel(), 64),)](x, x.numel(), BLOCK=64)
"""
ONE = FILE.replace("x, x.numel(), BLOCK=64)\n\n", "x, x.numel(), BLOCK=64, num_warps=8)\n\n")
TWO = FILE.replace("@triton.jit\ndef two", '@triton.heuristics({"N": len})\n@triton.jit\ndef two')
CALL = calls_of(parse("x: f32[n]"), {"n": (64,)}, alternatives=True)[0]


def answered(path: Path, launcher: str, text: str, gain: float) -> tuple[Request, Answer]:
    times = {n: Times(t, t, t, 20) for n, t in (("original", 100.0), ("tuned", 100 - gain))}
    row = Row(launcher, CALL.label, CALL.sizes, times=times, ratio=ratio(100 / (100 - gain)))
    rows = (TunedRow(CALL.label, CALL.sizes, row, row, uses_new=True),)
    answer = Answer(str(path), launcher, path.read_text(), text, "planted", rows=rows)
    return Request(str(path), path.read_text(), launcher, (CALL,)), answer


def written_with(path: Path, *both: tuple[Request, Answer]) -> Outcome:
    (outcome,) = outcomes(*zip(*both, strict=True))
    written(outcome)
    return outcome


def without(text: str) -> str:
    """The file where neither launcher calls the other one."""
    return text.replace("    one(x)\n", "")


def test_a_call_that_is_as_fast_has_no_gain_to_hold(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    for gain, found in ((30.0, {CALL.label}), (0.5, set())):  # 1.43x, and 1.005x
        file.write_text(FILE)
        written_with(file, answered(file, "two", TWO, gain))
        (each,) = recorded(file, TWO)
        assert each.gains == found


@pytest.mark.parametrize("at_once", [True, False])
def test_what_was_just_written_can_be_undone_launcher_by_launcher(
    tmp_path: Path, at_once: bool
) -> None:
    """Also where one stands in the lines around the other."""
    file = tmp_path / "file.py"
    file.write_text(without(FILE))
    if at_once:
        found = answered(file, "one", without(ONE), 30), answered(file, "two", without(TWO), 40)
        assert not written_with(file, *found).left_out
    else:
        written_with(file, answered(file, "one", without(ONE), 30))
        both = merged(without(FILE), [without(ONE), without(TWO)])
        assert both is not None
        written_with(file, answered(file, "two", both, 40))
    originals = {each.launcher: each.original for each in recorded(file, file.read_text())}
    assert originals == {"one": without(TWO), "two": without(ONE)}


def test_what_another_result_changes_of_a_launcher_is_left_out(tmp_path: Path) -> None:
    """It was verified and measured with what `one` was before."""
    file = tmp_path / "file.py"
    file.write_text(FILE)
    outcome = written_with(file, answered(file, "one", ONE, 30), answered(file, "two", TWO, 40))
    assert outcome.left_out == ("one",) and file.read_text() == TWO


@pytest.mark.parametrize(
    "new",
    [
        TEXT.replace("= 3\n", "= 'x'\n").replace("= 4\n", "").replace("= 22\n", "= 5\n\n\n"),
        TEXT + TEXT,  # the same lines stand there twice
        TEXT[10:],
    ],
)
def test_what_was_changed_can_be_undone(new: str) -> None:
    assert undone(new, changes(TEXT, new), "") == TEXT


def test_edits_elsewhere_stay_and_edits_there_are_seen() -> None:
    new = TEXT.replace("= 15\n", "= 'x'\n")
    changed = changes(TEXT, new)
    assert undone(new + "end = 1\n", changed, "") == TEXT + "end = 1\n"
    with pytest.raises(RecordError, match="tune it again"):
        undone(new.replace("'x'", "'y'"), changed, "")


def test_a_record_of_another_version_is_said(tmp_path: Path) -> None:
    record = tmp_path / ".tritonopt" / "file.json"
    record.parent.mkdir()
    for text, said in ((json.dumps({"version": 99}), "another version"), ("{", "is not a record")):
        record.write_text(text)
        with pytest.raises(RecordError, match=said):
            recorded(tmp_path / "file.py", TEXT)


@pytest.mark.parametrize(
    "place",
    [
        ("launchers",),
        ("launchers", 0, "gpu"),
        ("launchers", 0, "changes", 0, "is"),
        ("launchers", 0, "calls", 0, "ratio"),
        ("launchers", 0, "calls", 0, "sizes"),
    ],
)
@pytest.mark.parametrize("value", [None, 7, {}, [7], "text"])
def test_a_record_that_somebody_edited_is_said(
    tmp_path: Path, place: tuple[object, ...], value: object
) -> None:
    file = tmp_path / "file.py"
    file.write_text(FILE)
    outcome = written_with(file, answered(file, "two", TWO, 40))
    record = json.loads(outcome.record.read_text())
    *way, last = place
    inner = record
    for step in way:
        inner = inner[step]
    inner[last] = value
    outcome.record.write_text(json.dumps(record))
    if place[-1] == "gpu" and value == "text":
        return  # that is one
    with pytest.raises(RecordError, match="is not a record"):
        recorded(file, TWO)


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


def test_of_two_that_write_at_once_one_writes_file_and_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file.py"
    file.write_text(FILE)
    (mine,) = outcomes(*zip(answered(file, "one", ONE, 30), strict=True))
    (theirs,) = outcomes(*zip(answered(file, "two", TWO, 40), strict=True))

    def quietly() -> None:
        with suppress(SourceError):
            written(theirs)

    other = threading.Thread(target=quietly)
    usual = source.read_file

    def read(path: Path) -> source.SourceFile:
        found = usual(path)
        if not other.ident:
            other.start()
            other.join(0.5)
        return found

    monkeypatch.setattr(source, "read_file", read)
    with suppress(SourceError):
        written(mine)
    other.join()
    (entry,) = json.loads(mine.record.read_text())["launchers"]
    assert file.read_text() == {"one": ONE, "two": TWO}[entry["launcher"]]


def test_a_record_can_be_read_by_whoever_can_read_the_file(tmp_path: Path) -> None:
    """It is made to be checked in."""
    file = tmp_path / "file.py"
    file.write_text(TEXT)
    outcome = Outcome(file, TEXT, TEXT + "x = 1\n", ({"launcher": "f"},), ())
    written(outcome)
    assert outcome.record.stat().st_mode == file.stat().st_mode


def test_what_was_tuned_is_put_back_and_what_was_edited_since_stays(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text(without(FILE))
    found = answered(file, "one", without(ONE), 30), answered(file, "two", without(TWO), 40)
    written_with(file, *found)
    edited = file.read_text().replace("import torch\n", "import torch  # for tensors\n")
    file.write_text(edited)
    assert sorted(put_back(file)) == ["one", "two"]
    assert file.read_text() == without(FILE).replace(
        "import torch\n", "import torch  # for tensors\n"
    )
    assert not path_of(file).parent.exists()


def test_what_was_edited_where_it_was_tuned_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text(without(FILE))
    written_with(file, answered(file, "one", without(ONE), 30))
    edited = file.read_text().replace("num_warps=8", "num_warps=4")
    file.write_text(edited)
    with pytest.raises(RecordError, match="one: "):
        put_back(file)
    assert file.read_text() == edited and path_of(file).exists()
