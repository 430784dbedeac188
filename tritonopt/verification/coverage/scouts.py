"""What a call runs, asked of the interpreter where the verification itself is on a GPU.

Compiled kernels do not tell which of their lines ran. The same call on the interpreter does:
its sizes are what decides, and they are the same.
"""

from __future__ import annotations

import time
from dataclasses import replace

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.coverage_data import Coverage
from tritonopt.verification.process.messages import RunOptions, VersionSpec

_SECONDS = 30.0
_PATIENCE = 6
"""So many calls it may fail to run before it is not asked again, unless it could run one."""


class Scouts:
    """Both versions on the interpreter; nothing is compared."""

    def __init__(self, original: VersionSpec, rewritten: VersionSpec) -> None:
        specs = (replace(spec, backend="interpreter") for spec in (original, rewritten))
        self.workers = [VersionWorker(spec, _SECONDS) for spec in specs]
        self.trouble = ""
        """Why the interpreter could not say it, of the last call of which it could not."""
        self.reached = False
        """Whether it could of any."""
        self.failed = 0
        self.seconds = 0.0
        """What asking took so far."""

    def run(self, example: Example) -> tuple[Coverage, Coverage] | None:
        """What both versions run; None where the interpreter cannot run one of them."""
        if self.failed >= _PATIENCE and not self.reached:
            return None
        begin = time.monotonic()
        for worker in self.workers:  # both at the same time
            self._ask(worker, example)
        found = [self._answer(worker) for worker in self.workers]
        self.seconds += time.monotonic() - begin
        ours, theirs = found
        if ours is None or theirs is None:
            self.failed += 1
            return None
        self.reached = True
        return ours, theirs

    def _ask(self, worker: VersionWorker, example: Example) -> None:
        try:
            worker.send_or_die(example, (RunOptions(),))
        except Refusal as refusal:
            worker.death = Died(refusal.failure)  # it cannot be imported

    def _answer(self, worker: VersionWorker) -> Coverage | None:
        (outcome,) = worker.receive(1)
        if outcome.failure is not None:
            self.trouble = str(outcome.failure)
            return None
        return outcome.coverage

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
