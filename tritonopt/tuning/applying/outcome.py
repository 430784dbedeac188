"""What becomes of files: the results of their launchers together, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.measurement.tuned import Answer
from tritonopt.source.files import locked
from tritonopt.tuning.applying.merging import merged, runs_the_same
from tritonopt.tuning.applying.records import changes, entry, merged_entries, path_of, text_of
from tritonopt.tuning.requests import Request


@dataclass(frozen=True)
class Outcome:
    """One file."""

    path: Path
    original: str = field(repr=False)
    text: str = field(repr=False)
    entries: tuple[Mapping[str, Any], ...]
    """Of the record, for the launchers that changed."""
    left_out: tuple[str, ...]
    """Launchers whose results do not go together with another one's."""

    @property
    def changed(self) -> bool:
        return self.text != self.original

    @property
    def record(self) -> Path:
        return path_of(self.path)


def outcomes(requests: Sequence[Request], answers: Sequence[Answer]) -> Iterator[Outcome]:
    """One for every file, in their order."""
    files: dict[str, list[tuple[Request, Answer]]] = {}
    for request, answer in zip(requests, answers, strict=True):
        files.setdefault(answer.path, []).append((request, answer))
    for path, both in files.items():
        changed = [(r, a) for r, a in both if a.changed]
        # The one that gains most comes first.
        changed.sort(key=lambda pair: -_gain(pair[1]))
        original = both[0][1].original
        kept, left_out = _together(original, changed)
        texts = [answer.text for _, answer in kept]
        text = merged(original, texts)
        assert text is not None
        entries = []
        for at, (request, answer) in enumerate(kept):
            without = merged(original, texts[:at] + texts[at + 1 :])
            assert without is not None
            entries.append(entry(request, answer, changes(without, text)))
        yield Outcome(Path(path), original, text, tuple(entries), left_out)


def _together(
    original: str, changed: Sequence[tuple[Request, Answer]]
) -> tuple[list[tuple[Request, Answer]], tuple[str, ...]]:
    """The results that go together, the first of those that do not; and the launchers of others.

    Each was verified and measured by itself: what its launcher runs has to be that in the end.
    """
    kept: list[tuple[Request, Answer]] = []
    left_out = []
    for pair in changed:
        answers = [answer for _, answer in (*kept, pair)]
        text = merged(original, [answer.text for answer in answers])
        if text is not None and all(
            runs_the_same(answer.text, text, answer.launcher) for answer in answers
        ):
            kept.append(pair)
        else:
            left_out.append(pair[1].launcher)
    return kept, tuple(left_out)


def _gain(answer: Answer) -> float:
    """Microseconds that it saves over its calls."""
    pairs = [row.row.times for row in answer.rows if row.uses_new and row.row is not None]
    return sum(t["original"].median - t["tuned"].median for t in pairs if len(t) == 2)


def written(outcome: Outcome) -> None:
    """Replace the file and its record, or neither. Raises SourceError and RecordError."""
    try:
        outcome.record.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise _unwritten(outcome, error) from error
    with locked(outcome.record):
        _written(outcome, outcome.record)


def _unwritten(outcome: Outcome, error: OSError) -> source.SourceError:
    message = f"cannot be written: {error.strerror}; {outcome.path} was not changed"
    return source.SourceError(str(outcome.record), 0, 0, message)


def _written(outcome: Outcome, record: Path) -> None:
    every = merged_entries(record, outcome.entries, outcome.original, outcome.text)
    before = record.read_text(encoding="utf-8") if record.exists() else None
    text = text_of(every)
    file = source.read_file(outcome.path)
    if file.text != outcome.original:
        message = "has changed since it was tuned, and was not changed: tune it again"
        raise source.SourceError(str(outcome.path), 0, 0, message)
    try:
        _replace(record, text)
    except OSError as error:
        raise _unwritten(outcome, error) from error
    try:
        source.write_file(file, outcome.text)
    except source.SourceError:
        if before is None:
            record.unlink()
        else:
            _replace(record, before)
        raise


def _replace(path: Path, text: str) -> None:
    """The new text is complete on the disk before it takes the name over."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        # It is checked in, and read by others: a file like any that is new here.
        os.umask(mask := os.umask(0))
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
