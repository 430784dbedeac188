"""Verifications side by side, each in a process that is killed when its time is up."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.connection import Connection
from typing import Any

Answer = dict[str, Any]
Work = Callable[..., Answer]


class Slot:
    """A process that works off one request after the other, and is replaced when it dies."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.process: Any = None
        self.connection: Connection | None = None

    def ask(self, arguments: tuple[object, ...], seconds: float) -> Answer:
        """The answer; where there is none in that time, or the process ends, one that says so."""
        begin = time.perf_counter()
        connection = self.connection or self._start()
        try:
            connection.send(arguments)
            if connection.poll(seconds):
                answer: Answer = connection.recv()
                return answer
            said = f"no answer within {seconds:.0f} s"
        except (EOFError, OSError):
            said = "the process that verifies has ended"
        self.close()
        spent = round(time.perf_counter() - begin, 1)
        return {"verdict": "timeout", "reason": said, "examples": 0, "seconds": spent}

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.work))
        self.process.start()
        theirs.close()
        return self.connection

    def close(self) -> None:
        if self.process is None or self.connection is None:
            return
        # Its workers are of its group: one that hangs would stay.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()
        self.process = self.connection = None


def _serve(connection: Connection, work: Work) -> None:
    os.setpgid(0, 0)
    while True:
        try:
            arguments = connection.recv()
        except EOFError:
            return
        connection.send(work(*arguments))


def answers(
    work: Work,
    requests: Sequence[tuple[object, ...]],
    *,
    jobs: int,
    seconds: float,
    deadline: float,
) -> Iterator[tuple[int, Answer]]:
    """The number of a request and its answer, as they come; what the deadline cuts is left out."""
    slots: queue.SimpleQueue[Slot] = queue.SimpleQueue()
    every = [Slot(work) for _ in range(jobs)]
    for slot in every:
        slots.put(slot)

    def ask(request: tuple[object, ...]) -> Answer | None:
        slot = slots.get()
        try:
            left = deadline - time.monotonic()
            answer = slot.ask(request, min(seconds, left)) if left > 0 else None
            cut = answer is not None and answer["verdict"] == "timeout" and left < seconds
            return None if cut else answer
        finally:
            slots.put(slot)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            asked = {pool.submit(ask, request): n for n, request in enumerate(requests)}
            for done in as_completed(asked):
                answer = done.result()
                if answer is not None:
                    yield asked[done], answer
        finally:
            # Whoever waits for one of them is told that it has ended.
            pool.shutdown(wait=False, cancel_futures=True)
            for slot in every:
                slot.close()


def end_with_a_signal() -> None:
    """Let SIGTERM (`timeout 600 ...`) end this process as Ctrl-C does: slots are closed then."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
