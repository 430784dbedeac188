"""The parent's end of the workers that verify: several at once, each for one variant at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.verifying_server import LATE, Question
from tritonopt.verification.process.client import Died, Refusal, Worker

SERVER = "tritonopt.tuning.proving.verifying_server"
_LONGEST = 3600.0
"""Seconds for one verification, whatever the budget."""
_ON_GPU = 5
"""For so many examples of the interpreter, one on the GPU."""
_MOST_WORKERS = 4
"""Each has up to four processes of its own, on one GPU."""


def usual_workers() -> int:
    """As many as there are cores for."""
    return max(1, min(_MOST_WORKERS, (os.cpu_count() or 1) // 3))


@dataclass
class Verifying:
    """Workers that verify; started when they are needed, and again after one died."""

    workers: int = field(default_factory=usual_workers)
    server: str = SERVER
    """The module that serves in a worker."""
    _free: list[Worker] = field(default_factory=list)
    _begun: bool = False
    """Whether the first worker has yet to say that it has imported what it needs."""
    _ahead: tuple[Question, Worker, bool] | None = None
    """What is answered while something else is done, by whom, and whether that one has yet to say
    that it has imported what it needs."""

    def begin(self) -> None:
        """Start a worker, which imports what it needs while something else is done."""
        if not self._free:
            worker = Worker(_LONGEST, forked=False, server=self.server)
            worker.send("begin")
            self._free.append(worker)
            self._begun = True

    def answers(self, questions: Sequence[Question], seconds: float) -> Iterator[Evidence]:
        """Their answers, in their order; each has so many seconds. What ends or hangs is no yes."""
        first = time.monotonic() + seconds
        if self._begun:
            self._begun = False
            with suppress(Died, Refusal):  # the question will show it again
                self._free[0].receive(seconds)
        while len(self._free) < min(self.workers, len(questions)):
            self._free.append(Worker(_LONGEST, forked=False, server=self.server))
        for start in range(0, len(questions), self.workers):
            asked = questions[start : start + self.workers]
            pairs = list(zip(asked, self._free, strict=False))
            for question, worker in pairs:
                self._send(worker, question)
            end = time.monotonic() + seconds if start else first
            for _, worker in pairs:
                yield self._received(worker, max(end - time.monotonic(), 0.0), seconds)

    def begin_with(self, question: Question) -> None:
        """Have a question answered while something else is done, unless another one is."""
        if self._ahead is not None or not self._free:
            return
        worker, begun = self._free.pop(), self._begun
        with suppress(Died):
            self._send(worker, question)
            self._ahead, self._begun = (question, worker, begun), False

    def begun_with(self, seconds: float) -> tuple[Question, Evidence] | None:
        """What was asked ahead, with its answer, if that comes within so many seconds."""
        if self._ahead is None:
            return None
        question, worker, begun = self._ahead
        end = time.monotonic() + seconds
        if begun:
            if not worker.has_answered(seconds):
                return None
            with suppress(Died, Refusal):  # the question will show it again
                worker.receive(0.0)
            self._ahead = question, worker, False
        left = max(end - time.monotonic(), 0.0)
        is_alive = worker.connection is not None
        if is_alive and not worker.has_answered(left):
            return None
        self._ahead = None
        self._free.append(worker)
        return (question, self._received(worker, 0.0, seconds)) if is_alive else None

    def is_begun_with(self, question: Question) -> bool:
        return self._ahead is not None and self._ahead[0] == question

    def _send(self, worker: Worker, question: Question) -> None:
        try:
            worker.send("evidence", question)
        except Died:
            worker.send("evidence", question)  # it had died since the last one

    def _received(self, worker: Worker, left: float, seconds: float) -> Evidence:
        try:
            found: Evidence = worker.receive(left)
        except (Died, Refusal) as error:
            late = isinstance(error, Died) and error.failure.kind == "Hang"
            reason = f"{LATE} {seconds:.0f} s" if late else (
                f"the verification failed: {error}"
            )  # fmt: skip
            return Evidence("unsupported", reason=reason)
        return found

    def close(self) -> None:
        for worker in (*self._free, *(self._ahead[1:2] if self._ahead else ())):
            worker.close()
        self._free.clear()
        self._ahead = None


def on_gpu(question: Question) -> Question:
    """The question for a GPU, once the interpreter has said yes to all of it."""
    examples = max(question.examples // _ON_GPU, 1)
    few = replace(question, backend="cuda", examples=examples, algebra=False)
    return replace(few, covered_elsewhere=True)


def shown_by_both(
    question: Question,
    ask: Callable[[Question], Evidence],
    ask_gpu: Callable[[Evidence], Evidence],
) -> Evidence:
    """What the interpreter says, and after its yes the GPU, which `ask_gpu` is for.

    A kernel is compiled anew for most sizes, in a second, and does not tell what it ran. So the
    interpreter has all of the examples, and the GPU as many as show that it does the same there.
    """
    interpreted = ask(replace(question, backend="interpreter"))
    if interpreted.is_yes:
        return _on_both(interpreted, ask_gpu(interpreted))
    if interpreted.compared_nothing:
        # It has what the interpreter cannot run.
        return ask(replace(question, backend="cuda"))
    return interpreted


def _on_both(interpreted: Evidence, compiled: Evidence) -> Evidence:
    """The evidence of a text with a yes of the interpreter, after it ran on a GPU as well."""
    if not compiled.is_yes:
        return replace(compiled, reason=f"on the GPU: {compiled.reason}")
    both = f"{interpreted.examples} examples on the interpreter, {compiled.examples} on the GPU"
    return replace(
        interpreted,
        # The weaker of two yeses is the one that some bits differ in.
        verdict=max(interpreted.verdict, compiled.verdict, key=lambda v: v == "equivalent"),
        backend=f"{compiled.backend}; {interpreted.backend}",
        examples=interpreted.examples + compiled.examples,
        notes=tuple(dict.fromkeys((both, *interpreted.notes, *compiled.notes))),
    )
