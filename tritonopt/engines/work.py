"""A task and its answer, as plain data that travels between processes and machines."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol

LONGEST = 1e6
"""Seconds (eleven days) that a task without a limit may take; what waits for it takes no more."""


class Outcome(str, Enum):
    """What became of a task."""

    DONE = "done"
    FAILED = "failed"
    """The function raised an exception."""
    DIED = "died"
    """Its process ended, or the machine that it was on was lost."""
    TIMED_OUT = "timed out"


@dataclass(frozen=True)
class Task:
    """One call of a function that a module has."""

    name: str
    """For messages."""
    function: str
    """`package.module:function`."""
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that are passed by name."""
    timeout: float | None = None
    """Seconds that it may take."""
    gpu: float = 0.0
    """The share of a GPU that it takes where there is one: 1 for one to itself."""
    common: bytes | None = field(default=None, repr=False)
    """An argument that many tasks have, pickled: the first one, read once by each process."""


@dataclass(frozen=True)
class Answer:
    """What became of a task."""

    task: Task
    outcome: Outcome
    value: Any = None
    """What the function returned, where it is done."""
    reason: str = ""
    """Why there is no value."""
    seconds: float = 0.0
    where: str = ""
    """Which GPU or which machine it was on; empty where that goes without saying."""


class Engine(Protocol):
    """What does tasks."""

    def at_once(self, tasks: Sequence[Task]) -> int:
        """How many of these it does at a time, at most. Raises EngineError."""

    def running(self, tasks: Sequence[Task]) -> AbstractContextManager[Iterator[Answer]]:
        """Begin, and give the answers as they come, one for every task.

        Whoever leaves the context early ends what still runs. Raises EngineError.
        """


@lru_cache(maxsize=1)
def _unpickled(data: bytes) -> Any:
    return pickle.loads(data)


def run(task: Task) -> Answer:
    """Call the function here and now."""
    begin = time.monotonic()
    try:
        module, _, name = task.function.partition(":")
        common = () if task.common is None else (_unpickled(task.common),)
        value = getattr(import_module(module), name)(*common, *task.arguments, **task.options)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".strip()
        return Answer(task, Outcome.FAILED, reason=reason, seconds=time.monotonic() - begin)
    return Answer(task, Outcome.DONE, value, seconds=time.monotonic() - begin)
