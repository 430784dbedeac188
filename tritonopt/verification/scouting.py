"""What a call runs, asked of the interpreter where the verification itself is on a GPU.

Compiled kernels do not tell which of their lines ran. The same call on the interpreter does:
its sizes are what decides, and they are the same.
"""

from __future__ import annotations

from dataclasses import replace

from .coverage import Coverage
from .examples import Example
from .outcomes import RunOptions, VersionSpec
from .workers import Died, Refusal, VersionWorker

_SECONDS = 60.0
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

    def run(self, example: Example) -> tuple[Coverage, Coverage] | None:
        """What both versions run; None where the interpreter cannot run one of them."""
        if self.failed >= _PATIENCE and not self.reached:
            return None
        found = []
        for worker in self.workers:
            try:
                (outcome,) = worker.run(example, RunOptions())
            except (Died, Refusal) as error:
                self._failed(error)
                return None
            if outcome.failure is not None:
                self._failed(outcome.failure)
                return None
            found.append(outcome.coverage)
        self.reached = True
        return found[0], found[1]

    def _failed(self, trouble: object) -> None:
        self.trouble = str(trouble)
        self.failed += 1

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
