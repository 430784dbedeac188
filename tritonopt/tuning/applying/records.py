"""What was accepted and why, beside the file: `.tritonopt/NAME.json`, made to be checked in.

It says what was measured, on which GPU, with which versions, and holds what is needed to measure
it again: the calls, and each change with the lines that stood there before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.measurement.results import Ratio
from tritonopt.measurement.tuned import Answer
from tritonopt.source.files import locked
from tritonopt.tuning.acceptance import is_claim
from tritonopt.tuning.applying.merging import hunks, lines_of, merged
from tritonopt.tuning.calls import Call
from tritonopt.tuning.requests import Request
from tritonopt.tuning.shapes import one_form
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_parser import parse

VERSION = 1
FOLDER = ".tritonopt"
Change = Mapping[str, Sequence[str]]
"""Lines with those around them: `was`, and `is`."""
_CONTEXTS = (3, 10, 10**9)
"""Lines around a change, by which its place is found again."""


class RecordError(Exception):
    """A record cannot be read, or does not fit its file any more; the message says what to do."""


@dataclass(frozen=True)
class Recorded:
    """One launcher of a record."""

    launcher: str
    autograd: bool
    calls: tuple[Call, ...]
    ratios: Mapping[str, tuple[float, float, float]]
    """By the label of the call: the ratio and its interval, as accepted."""
    gains: frozenset[str]
    """Labels of the calls that were faster."""
    gpu: str
    original: str
    """The text of the file without the change."""


def path_of(file: Path) -> Path:
    """Where the record of a file stands."""
    return file.parent / FOLDER / f"{file.stem}.json"


def entry(request: Request, answer: Answer, changed: Sequence[Change]) -> dict[str, Any]:
    """What is kept of an accepted answer, with what it changes of the file that is written."""
    machine = answer.machine
    calls = {call.label: call for call in request.calls}
    return {
        "launcher": answer.launcher,
        "autograd": request.by_position,
        "what": answer.what,
        "condition": answer.condition,
        "gpu": machine.gpu if machine else "",
        "torch": machine.torch if machine else "",
        "triton": machine.triton if machine else "",
        "cuda": machine.cuda if machine else "",
        "driver": machine.driver if machine else "",
        "verified": "" if answer.evidence is None else _said(answer),
        "calls": [
            {
                "args": str(calls[row.label].signature),
                "sizes": dict(row.sizes),
                "strides": {k: list(v) for k, v in calls[row.label].strides.items()},
                "runs new code": row.uses_new,
                "original us": round(row.row.times["original"].median, 3),
                "new us": round(row.row.times["tuned"].median, 3),
                "ratio": [round(n, 4) for n in (row.ratio.value, row.ratio.low, row.ratio.high)],
            }
            for row in answer.rows
            if row.row is not None and row.ratio is not None
        ],
        "changes": changed,
    }


def _said(answer: Answer) -> str:
    assert answer.evidence is not None
    found = answer.evidence
    return f"{found.verdict} on {found.examples} examples ({found.backend})"


def changes(original: str, text: str) -> list[Change]:
    """Each change with lines around it: `was` and `is`. As few as make it plain where it is."""
    found: list[Change] = []
    for context in _CONTEXTS:
        found = _with_context(original, text, context)
        try:
            if undone(text, found, "") == original:
                break
        except RecordError:
            continue  # the lines stand there twice
    return found


def _with_context(original: str, text: str, context: int) -> list[Change]:
    old, new = _lines(original), _lines(text)
    groups: list[list[tuple[int, int, int]]] = []
    for first, last, lines in hunks(original, text):
        if groups and first - groups[-1][-1][1] <= 2 * context:
            groups[-1].append((first, last, len(lines)))
        else:
            groups.append([(first, last, len(lines))])
    found: list[Change] = []
    shift = 0
    for group in groups:
        first, last = max(group[0][0] - context, 0), min(group[-1][1] + context, len(old))
        longer = sum(count - (b - a) for a, b, count in group)
        found.append({"was": old[first:last], "is": new[first + shift : last + shift + longer]})
        shift += longer
    return found


def _lines(text: str) -> list[str]:
    """Its lines, without what ends them."""
    return [line.removesuffix("\n") for line in lines_of(text)]


def text_of(entries: Sequence[Mapping[str, Any]]) -> str:
    """The record of a file, as text."""
    return json.dumps({"version": VERSION, "launchers": list(entries)}, indent=1) + "\n"


def merged_entries(
    path: Path, entries: Sequence[Mapping[str, Any]], original: str, text: str
) -> list[Mapping[str, Any]]:
    """The entries of a new text, with those of other launchers that the record of the original
    has. Raises RecordError."""
    new = {each["launcher"] for each in entries}
    kept = [each for each in _read(path) if each["launcher"] not in new] if path.exists() else []
    return [*(_carried(each, original, text) for each in kept), *entries]


def _carried(each: Mapping[str, Any], original: str, text: str) -> Mapping[str, Any]:
    """An entry of a text, for one in which more has changed since: the lines around may be
    others. Where what it changed is another thing now, it stays, and a check will say so."""
    try:
        without = merged(original, [text, undone(original, each["changes"], "")])
    except RecordError:
        without = None
    return each if without is None else {**each, "changes": changes(without, text)}


def recorded(file: Path, text: str) -> list[Recorded]:
    """What the record of a file says of it. Raises RecordError."""
    return [_recorded(each, text, path_of(file)) for each in _read(path_of(file))]


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RecordError(f"{path}: is not a record: {error}") from None
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise RecordError(f"{path}: was written by another version of tritonopt: tune again")
    entries = found.get("launchers")
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise RecordError(f"{path}: is not a record: the data of its launchers is incomplete")
    return entries


def _is_entry(each: Any) -> bool:
    """Whether all is there that is read of an entry."""
    try:
        return (
            isinstance(each["launcher"], str)
            and isinstance(each["gpu"], str)
            and isinstance(each["autograd"], bool)
            and bool(each["calls"])
            and all(map(_is_call, each["calls"]))
            and all(_is_text(change[side]) for change in each["changes"] for side in ("was", "is"))
        )
    except (KeyError, TypeError, AttributeError):
        return False


def _is_text(lines: Any) -> bool:
    return isinstance(lines, list) and all(isinstance(line, str) for line in lines)


def _is_call(one: Any) -> bool:
    numbers = [*one["sizes"].values(), *(n for each in one["strides"].values() for n in each)]
    return (
        isinstance(one["args"], str)
        and isinstance(one["runs new code"], bool)
        and all(type(number) is int for number in numbers)
        and len(one["ratio"]) == 3
        and all(isinstance(number, (int, float)) for number in one["ratio"])
    )


def _recorded(each: Mapping[str, Any], text: str, path: Path) -> Recorded:
    calls, ratios = [], {}
    for one in each["calls"]:
        try:
            signature = one_form(parse(one["args"]))
        except VerificationError as error:
            raise RecordError(f"{path}: {error}") from None
        if missing := set(signature.size_names) - set(one["sizes"]):
            names = ", ".join(sorted(missing))
            raise RecordError(f"{path}: is not a record: a call has no number for {names}")
        strides = {name: tuple(numbers) for name, numbers in one["strides"].items()}
        call = Call(signature, one["sizes"], strides)
        calls.append(call)
        value, low, high = one["ratio"]
        ratios[call.label] = (value, low, high)
    new = {
        call.label for call, one in zip(calls, each["calls"], strict=True) if one["runs new code"]
    }
    return Recorded(
        each["launcher"],
        each["autograd"],
        tuple(calls),
        ratios,
        frozenset(label for label in new if is_claim(Ratio(*ratios[label], 0))),
        each["gpu"],
        undone(text, each["changes"], f"{path}: {each['launcher']}"),
    )


def undone(text: str, changed: Sequence[Change], where: str) -> str:
    """The text without these changes. Raises RecordError where it was edited there."""
    lines = _lines(text)
    for change in reversed(changed):
        new = list(change["is"])
        places = [at for at in range(len(lines)) if lines[at : at + len(new)] == new]
        if len(places) != 1:
            raise RecordError(
                f"{where}: the file was edited where it had been tuned, so the original is "
                "unknown: tune it again"
            )
        lines[places[0] : places[0] + len(new)] = change["was"]
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def put_back(file: Path) -> list[str]:
    """Undo what the record of a file says, and remove the record; the launchers that it named.

    What else was changed in the file since stays. Raises SourceError and RecordError, and leaves
    the file as it is, where it was edited in the places that were tuned or cannot be written.
    """
    record = path_of(file)
    with locked(record):
        now = source.read_file(file)
        every = recorded(file, now.text)
        text = merged(now.text, [each.original for each in every])
        if text is None:
            names = ", ".join(each.launcher for each in every)
            raise RecordError(f"{record}: what was changed for {names} cannot be separated")
        source.write_file(now, text)
        try:
            record.unlink()
        except OSError as error:
            message = f"cannot be removed: {error.strerror}; {file} is what it was before"
            raise source.SourceError(str(record), 0, 0, message) from None
    with suppress(OSError):  # there are records of other files in it
        record.parent.rmdir()
    return [each.launcher for each in every]
