"""The parent's end of the worker that times: what fails or hangs costs a row, and no more."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tritonopt.measurement.results import Machine, Row
from tritonopt.measurement.timing import Effort
from tritonopt.tuning.calls import Call
from tritonopt.tuning.timing_server import First, Timed, Version
from tritonopt.verification.process.client import Died, Refusal, Worker
from tritonopt.verification.process.messages import OUT_OF_MEMORY, Failure

SERVER = "tritonopt.tuning.timing_server"
_PATIENCE = 300.0
"""Seconds for everything but a first call."""
OVER = "the time was over"
"""Why something has no answer that had no time for one."""
_SHOWN = 300
"""Characters of a reason."""


@dataclass
class Session:
    """Versions of a launcher in a worker, which is started anew when it died."""

    versions: Sequence[Version]
    timeout: float = 120.0
    """Seconds for the first call of a version, which may compile and tune."""
    server: str = SERVER
    """The module that serves in the worker."""
    left: Callable[[], float] = lambda: math.inf
    """Seconds until nobody waits for an answer any more."""
    siblings: int = 0
    """Other processes of ours on this GPU, which do nothing while this one times."""
    worker: Worker = field(init=False)
    unloadable: dict[str, str] = field(default_factory=dict)
    """Versions that cannot be imported, and why."""
    begun: object = None
    """The process that has got hold of the GPU."""
    loaded: list[Version] = field(default_factory=list)
    """What it has imported."""
    longest: float = 0.0
    """Seconds that a first call took so far, at most."""
    compared: set[str] = field(default_factory=set)
    """Labels of calls in which a version gave what the first one did."""
    chosen: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """By the label of a call, what the tuners of the first version chose for it."""

    def __post_init__(self) -> None:
        self.worker = Worker(max(self.timeout, _PATIENCE), forked=False, server=self.server)

    def has_gpu(self) -> bool:
        """Whether the worker sees one. Raises Died and Refusal where torch cannot be imported."""
        return bool(self._ask("probe"))

    def _ask(self, *request: Any) -> Any:
        """The answer, within the time that is left. Raises Died and Refusal."""
        self.worker.send(*request)
        return self._receive(self.worker.timeout)

    def _receive(self, seconds: float) -> Any:
        left = max(self.left(), 0.0)
        try:
            return self.worker.receive(min(seconds, left))
        except Died as death:
            if death.failure.kind == "Hang" and left < seconds:
                raise Died(Failure("Hang", OVER)) from None
            raise

    def row(
        self,
        launcher: str,
        call: Call,
        effort: Effort,
        *,
        copy: bool = True,
    ) -> Row:
        """Time one call in every version that takes it."""
        firsts: dict[str, First] = {}
        failures: dict[str, str] = {}
        row = Row(launcher, call.label, call.sizes)
        try:
            self._prepare(call)
            failures.update(self.unloadable)
            for version in self.versions:
                if version.name not in failures:
                    self._first(version.name, call, firsts, failures)
            if (original := firsts.get(self.versions[0].name)) is not None:
                self.chosen.setdefault(call.label, original.chosen)
            good = tuple(v.name for v in self.versions if v.name in firsts)
            if self.versions[0].name in failures and len(self.versions) > 2:
                good = ()  # there is nothing to compare the others with
            timed: Timed | None = None
            if good:
                timed = self._ask("time", good, effort, copy)
        except (Died, Refusal) as error:
            # Whatever it was, the next call shall not suffer from it.
            self.worker.close()
            every = dict.fromkeys((v.name for v in self.versions), said(error.failure))
            return _of(row, firsts, {**every, **failures}, None)
        return _of(row, firsts, failures, timed)

    def _first(
        self,
        name: str,
        call: Call,
        firsts: dict[str, First],
        failures: dict[str, str],
    ) -> None:
        """A version's first call; a death of it costs the others nothing."""
        try:
            begin = time.monotonic()
            self.worker.send("first", name)
            firsts[name] = self._receive(self.timeout)
            self.longest = max(self.longest, time.monotonic() - begin)
            if firsts[name].agrees:
                self.compared.add(call.label)
        except Refusal as error:
            failures[name] = said(error.failure)
        except Died as death:
            failures[name] = said(death.failure)
            self._prepare(call)
            for other in firsts:
                firsts[other] = self._ask("first", other)

    def use(self, versions: Sequence[Version]) -> None:
        """Other versions from now on, in the same process; those that it has stay there."""
        self.versions = versions
        self.unloadable = {}

    def _prepare(self, call: Call) -> None:
        self._load()
        self._ask("prepare", call)

    def _load(self) -> None:
        """All versions, in one process, which may be a new one."""
        if self.worker.process is None or self.worker.process is not self.begun:
            self.loaded = []
            self._ask("begin", *([self.siblings] if self.siblings else []))
            self.begun = self.worker.process
        for version in self.versions:
            if version.name in self.unloadable or version in self.loaded:
                continue
            # The one that had this name before is forgotten.
            self.loaded = [other for other in self.loaded if other.name != version.name]
            try:
                self._ask("load", version)
                self.loaded.append(version)
            except (Refusal, Died) as error:
                self.unloadable[version.name] = f"it cannot be imported: {said(error.failure)}"
                if isinstance(error, Died):
                    return self._load()

    def numbers_at(self, name: str, lines: tuple[int, int], call: Call) -> dict[str, int]:
        """See the server. Raises Died and Refusal."""
        self._prepare(call)
        self.worker.send("numbers_at", name, lines)
        found: dict[str, int] = self._receive(self.timeout)
        return found

    def described(self, row: Row) -> Row:
        """A row with what its machine code needs, where there is the time to read it."""
        digests = tuple(dict.fromkeys(each.digest for each in row.compiled))
        try:
            numbers = self._ask("numbers", digests) if digests else {}
        except (Died, Refusal):
            return row
        read = (replace(each, numbers=numbers.get(each.digest, {})) for each in row.compiled)
        return replace(row, compiled=tuple(read))

    def machine(self) -> Machine:
        """What was measured on. Raises Died."""
        found: Machine = self._ask("machine")
        return found

    def imported(self) -> str:
        """What the versions import, see the server. Raises Died."""
        found: str = self._ask("imported")
        return found

    def close(self) -> None:
        self.worker.close()


def said(failure: Failure) -> str:
    """A failure in a line of a table."""
    if failure.kind == OUT_OF_MEMORY:
        return "out of memory"
    text = str(failure.message).strip().splitlines()
    line = text[0] if text else ""
    if failure.kind == "Hang":
        return line
    return f"{failure.kind}: {line}"[:_SHOWN]


def _of(
    row: Row, firsts: Mapping[str, First], failures: Mapping[str, str], timed: Timed | None
) -> Row:
    """The row with what was found."""
    doubts = {name: first.note for name, first in firsts.items() if first.note}
    row = replace(
        row,
        failures=failures,
        notes=tuple(doubts.values()),
        doubts=doubts,
        compiled=tuple(c for first in firsts.values() for c in first.compiled),
    )
    if timed is None:
        return row
    return replace(
        row,
        times=timed.times,
        ratio=next(iter(timed.ratios.values()), None),
        ratios=timed.ratios,
        moved=timed.moved,
        copy=timed.copy,
    )
