"""Kernels compiled ahead of being timed, several variants at once.

Compiling takes longer than timing, and one process compiles one kernel after the other. So each of
a few processes calls one variant once, before the one that times does: that finds the kernels in
Triton's cache on the disk. Nothing is timed meanwhile, and what fails here fails there again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tritonopt.tuning.calls import Call
from tritonopt.tuning.timing_server import Version
from tritonopt.verification.process.client import Died, Refusal, Worker

_LONGEST = 600.0
"""Seconds for anything that they are asked."""
_MOST_WORKERS = 4
"""Each has a context of its own on the GPU, of some hundred megabytes."""
_CORES = 4
"""For each of them; with fewer they are of no use to one another."""


def usual_workers() -> int:
    """As many as there are cores for; none on a small machine."""
    return min(_MOST_WORKERS, (os.cpu_count() or 1) // _CORES)


@dataclass
class Ahead:
    """The processes that compile."""

    server: str
    """The module that serves in each: that of the worker that times."""
    count: int = field(default_factory=usual_workers)
    workers: list[Worker] = field(default_factory=list)
    asked: list[Worker] = field(default_factory=list)
    """Those that have yet to answer."""

    def begin(self) -> None:
        """Start them; they get hold of the GPU while something else is done."""
        for _ in range(self.count):
            worker = Worker(_LONGEST, forked=False, server=self.server)
            self.workers.append(worker)
            self._ask(worker, "begin")

    def compile(self, versions: Sequence[Version], calls: Sequence[Call], seconds: float) -> None:
        """Call each version once with each call; a call may take so many seconds."""
        if not self.workers:
            return
        self._wait(seconds)
        for start in range(0, len(versions), len(self.workers)):
            for worker, version in zip(self.workers, versions[start:], strict=False):
                self._ask(worker, "call_once", version, tuple(calls))
            self._wait(seconds * len(calls))

    def _ask(self, worker: Worker, request: str, *arguments: object) -> None:
        with suppress(Died):
            worker.send(request, *arguments)
            self.asked.append(worker)

    def _wait(self, seconds: float) -> None:
        """Until all have answered that were asked; what hangs is ended."""
        end = time.monotonic() + seconds
        for worker in self.asked:
            with suppress(Died, Refusal):
                worker.receive(max(end - time.monotonic(), 0.0))
        self.asked.clear()

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
        self.workers.clear()
