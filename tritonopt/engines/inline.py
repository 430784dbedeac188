"""Every task in this process, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tritonopt.engines.work import Answer, Task, run


class Inline:
    """A crash of a task is a crash of everything, and none is stopped when its time is over."""

    def at_once(self, tasks: Sequence[Task]) -> int:
        return 1

    @contextmanager
    def running(self, tasks: Sequence[Task]) -> Iterator[Iterator[Answer]]:
        yield map(run, tasks)
