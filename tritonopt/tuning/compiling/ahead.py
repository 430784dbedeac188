"""Kernels compiled ahead of being timed, several variants at once.

Compiling takes longer than timing, and one process compiles one kernel after the other. So each of
a few processes calls one variant once, before the one that times does: that finds the kernels in
Triton's cache on the disk. Nothing is timed meanwhile, and what fails here fails there again. What
hangs, or takes far too long to compile, is told, so that it need not be tried there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tritonopt.engines.local import cores
from tritonopt.tuning.calls import Call
from tritonopt.tuning.timing_server import Version
from tritonopt.verification.process.client import Died, Refusal, Worker

_LONGEST = 600.0
"""Seconds for anything that they are asked."""
_MOST_WORKERS = 4
"""Each has a context of its own on the GPU, of some hundred megabytes."""
_CORES = 4
"""For each of them; with fewer they are of no use to one another."""
_FOR_STARTING = 0.25
"""Of the time that is left: so long those are waited for that still import what the file does."""


def usual_workers() -> int:
    """As many as there are cores for; none on a small machine."""
    return min(_MOST_WORKERS, cores() // _CORES)


@dataclass
class Ahead:
    """The processes that compile."""

    server: str
    """The module that serves in each: that of the worker that times."""
    count: int = field(default_factory=usual_workers)
    starting: list[Worker] = field(default_factory=list)
    """Those that get hold of the GPU, and import what the file does."""
    ready: list[Worker] = field(default_factory=list)
    original: Version | None = None

    def begin(self, original: Version) -> None:
        """Start them; they are ready some time later."""
        self.original = original
        for _ in range(self.count):
            self._start(Worker(_LONGEST, forked=False, server=self.server))

    def compile(
        self, versions: Sequence[Version], call: Call, each: float, total: float
    ) -> tuple[list[Version], list[Version]]:
        """Call each version once: which took above `each` seconds, and what was not come to.

        The latter are those that `total` seconds were not enough for. Where no process is ready
        nothing is called, and nothing is known of any.
        """
        until = time.monotonic() + total
        self._take_up(_FOR_STARTING * total)
        queue, hanging, left = [*versions], list[Version](), list[Version]()
        while queue and self.ready and time.monotonic() < until:
            asked = list(zip(self.ready, queue, strict=False))
            del queue[: len(asked)]
            end = min(time.monotonic() + each, until)
            sent = [self._sent(worker, version, call) for worker, version in asked]
            for (worker, version), was_sent in zip(asked, sent, strict=True):
                if was_sent and not self._ended(worker, max(end - time.monotonic(), 0.0)):
                    (left if end == until else hanging).append(version)
        return hanging, left + (queue if self.ready else [])

    def _take_up(self, seconds: float) -> None:
        """Make those ready that have started by then; the others go on with it."""
        end = time.monotonic() + seconds
        for worker in [*self.starting]:
            if worker.has_answered(max(end - time.monotonic(), 0.0)):
                self.starting.remove(worker)
                try:
                    worker.receive()
                    self.ready.append(worker)
                except (Died, Refusal):
                    worker.close()  # the others do

    def _sent(self, worker: Worker, version: Version, call: Call) -> bool:
        """Whether a worker was asked; one that has ended meanwhile is started again."""
        try:
            worker.send("call_once", version, (call,))
        except Died:
            self.ready.remove(worker)
            self._start(worker)
            return False
        return True

    def _ended(self, worker: Worker, seconds: float) -> bool:
        """Whether a worker came to an end with what it was asked; what hangs is ended."""
        try:
            worker.receive(seconds)
        except Refusal:
            return True
        except Died as death:
            self.ready.remove(worker)
            self._start(worker)
            return death.failure.kind != "Hang"
        return True

    def _start(self, worker: Worker) -> None:
        with suppress(Died):
            worker.send("call_once", self.original, ())
            self.starting.append(worker)

    def close(self) -> None:
        for worker in [*self.starting, *self.ready]:
            worker.close()
        self.starting.clear()
        self.ready.clear()
