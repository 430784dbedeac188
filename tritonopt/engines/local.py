"""Tasks in processes of this machine: for every GPU that is seen one or more, or on a CPU.

A thread of `concurrent.futures` waits for each process. Its own pool of processes does not do: one
that crashes takes the pool and every task with it, and none can be stopped when its time is over.
Pools that can do both end the process alone, and not what it started, as a verification does.
"""

from __future__ import annotations

import os
import pickle
import queue
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle, islice

from tritonopt.engines.work import LONGEST, Answer, Outcome, Task
from tritonopt.verification.process.client import Died, Worker

_SERVER = "tritonopt.engines.task_server"
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_BREATH = 0.2
"""Seconds between two attempts to end what was started in between."""


@dataclass
class Slot:
    """A process that does one task after another; started on first use, and again after it died."""

    where: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        self.worker = Worker(
            LONGEST, forked=False, server=_SERVER, leads=True, environment=self.environment
        )

    def answer(self, task: Task) -> Answer:
        """What becomes of a task here: a crash and a hang cost this one, and the next is done."""
        begin = time.monotonic()

        def nothing(outcome: Outcome, reason: str) -> Answer:
            seconds = time.monotonic() - begin
            return Answer(task, outcome, reason=reason, seconds=seconds, where=self.where)

        try:
            data = pickle.dumps(task)
        except Exception as error:
            return nothing(Outcome.FAILED, f"it cannot be sent to another process: {error}")
        try:
            self._send(data)
            received = self.worker.receive(task.timeout)
        except Died as death:
            late = death.failure.kind == "Hang"
            return nothing(Outcome.TIMED_OUT if late else Outcome.DIED, death.failure.message)
        except OSError as error:
            self.worker.close()
            return nothing(Outcome.DIED, f"no process can be started for it: {error}")
        try:
            answer: Answer = pickle.loads(received)
        except Exception as error:
            return nothing(Outcome.FAILED, f"its result cannot be read in this process: {error}")
        return replace(answer, task=task, where=self.where)

    def _send(self, data: bytes) -> None:
        try:
            self.worker.send("run", data)
        except Died:
            # It died after the task before: that is nothing of this one's.
            self.worker.send("run", data)


class Local:
    """A crash or a hang costs one task. Every process has one GPU, or its share of one."""

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs
        self._seen: list[str] | None = None

    def at_once(self, tasks: Sequence[Task]) -> int:
        return len(self._slots(tasks))

    @contextmanager
    def running(self, tasks: Sequence[Task]) -> Iterator[Iterator[Answer]]:
        slots = self._slots(tasks)
        free: queue.SimpleQueue[Slot] = queue.SimpleQueue()
        for slot in slots:
            free.put(slot)

        def answer(task: Task) -> Answer:
            slot = free.get()
            try:
                return slot.answer(task)
            finally:
                free.put(slot)

        pool = ThreadPoolExecutor(len(slots))
        futures = [pool.submit(answer, task) for task in tasks]
        try:
            yield (future.result() for future in as_completed(futures))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            _end(slots, futures)

    def _slots(self, tasks: Sequence[Task]) -> list[Slot]:
        share = max((task.gpu for task in tasks), default=0.0)
        if share and self._seen is None:
            self._seen = visible_gpus()
        gpus = (self._seen or []) if share else []
        count = self.jobs or max(_processors(), len(gpus))
        if gpus:
            count = min(count, len(gpus) * max(1, int(1 / share)))
        slots = [Slot(f"GPU {gpu}", {_VISIBLE: gpu}) for gpu in islice(cycle(gpus), count)] or [
            Slot() for _ in range(count)
        ]
        return slots[: max(len(tasks), 1)]


def _end(slots: Sequence[Slot], futures: Sequence[Future[Answer]]) -> None:
    """End all processes, also one that a thread is just about to start."""
    while running := [future for future in futures if not future.done()]:
        for slot in slots:
            slot.worker.kill()
        wait(running, _BREATH)
    for slot in slots:
        slot.worker.close()


def _processors() -> int:
    """Half of those that this process may use: a verification keeps two processes busy."""
    return max(1, cores() // 2)


def cores() -> int:
    """Those that this process may use."""
    seen = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return seen or 1


def visible_gpus() -> list[str]:
    """The GPUs that are seen, as a process is told of them."""
    worker = Worker(LONGEST, forked=False, server=_SERVER, leads=True)
    try:
        count = int(worker.ask("gpus"))
    except (Died, OSError):
        return []  # the tasks will say what is wrong with it
    finally:
        worker.close()
    named = os.environ.get(_VISIBLE)
    names = named.split(",") if named else map(str, range(count))
    return [name.strip() for name in names][:count]
