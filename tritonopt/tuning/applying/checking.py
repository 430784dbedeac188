"""`tune --check`: what was accepted before, measured again; does it still hold on this GPU?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.measurement.results import Ratio
from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import ORIGINAL, TUNED
from tritonopt.tuning import session
from tritonopt.tuning.acceptance import EQUAL, WORTH
from tritonopt.tuning.applying.records import Recorded, recorded
from tritonopt.tuning.session import Session
from tritonopt.tuning.timing_server import Version


@dataclass(frozen=True)
class Check:
    """One call, then and now."""

    path: Path
    launcher: str
    label: str
    then: tuple[float, float, float]
    now: Ratio | None
    is_gain: bool
    """Whether it was accepted as faster; else as no slower."""
    failure: str = ""

    @property
    def holds(self) -> bool:
        """A gain has to be one still, of what is worth it unless that is ruled out; another call
        must not have become slower for sure.

        Other results than the original's are no gain, and no equal either.
        """
        if self.now is None or self.failure:
            return False
        if self.is_gain:
            return self.now.value > 1 and self.now.high >= WORTH
        return self.now.high >= EQUAL

    def as_json(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "launcher": self.launcher,
            "call": self.label,
            "gain": self.is_gain,
            "then": self.then,
            "now": None if self.now is None else (self.now.value, self.now.low, self.now.high),
            "holds": self.holds,
            "failure": self.failure,
        }

    def __str__(self) -> str:
        head = f"{self.path}: {self.launcher}, {self.label}: {self.then[0]:.3f}x"
        if self.now is None:
            return f"{head} then; cannot be measured now: {self.failure}"
        now = f"{self.now.value:.3f}x ({self.now.low:.3f} to {self.now.high:.3f})"
        why = f", for {self.failure}" if self.failure else ""
        return f"{head} then, {now} now: {'holds' if self.holds else 'no longer holds'}{why}"


def checks_of(
    file: Path, effort: Effort, timeout: float, server: str = session.SERVER
) -> Iterator[Check]:
    """Every call of the file's record. Raises RecordError, SourceError and Died."""
    text = source.read_file(file).text
    for each in recorded(file, text):
        yield from _of(each, file, text, effort, timeout, server)


def _of(
    each: Recorded, file: Path, text: str, effort: Effort, timeout: float, server: str
) -> Iterator[Check]:
    path = str(file.resolve())
    before = f"{path.removesuffix('.py')}.{ORIGINAL}.py"
    what = each.launcher, each.autograd
    versions = [
        Version(ORIGINAL, path, each.original, before, *what),
        Version(TUNED, path, text, path, *what),
    ]
    timing = Session(versions, timeout, server)
    try:
        for call in each.calls:
            row = timing.row(each.launcher, call, effort, copy=False)
            failure = next(iter(row.failures.values()), "") or row.doubts.get(TUNED, "")
            then, gain = each.ratios[call.label], call.label in each.gains
            yield Check(file, each.launcher, call.label, then, row.ratio, gain, failure)
    finally:
        timing.close()
