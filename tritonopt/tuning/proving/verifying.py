"""The parent's end of the workers that verify: several at once, each for one variant at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tritonopt.engines.local import cores
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
_AT_FIRST = 2
"""Workers that are started before anything is asked: one for each backend."""


def usual_workers() -> int:
    """As many as there are cores for."""
    return max(1, min(_MOST_WORKERS, cores() // 3))


@dataclass
class Verifying:
    """Workers that verify; started when they are needed, and again after one died."""

    workers: int = field(default_factory=usual_workers)
    server: str = SERVER
    """The module that serves in a worker."""
    _free: list[Worker] = field(default_factory=list)
    _asked: dict[Question, Worker] = field(default_factory=dict)
    """What is answered while something else is done, and by whom."""

    def begin(self) -> None:
        """Start workers, which import what they need while something else is done."""
        while len(self._free) + len(self._asked) < min(self.workers, _AT_FIRST):
            worker = Worker(_LONGEST, forked=False, server=self.server)
            worker.start()
            self._free.append(worker)

    def answers(self, questions: Sequence[Question], seconds: float) -> Iterator[Evidence]:
        """Their answers, in their order; each has so many seconds. What ends or hangs is no yes.

        What is being answered already goes on.
        """
        first = time.monotonic() + seconds
        for start in range(0, len(questions), self.workers):
            asked = questions[start : start + self.workers]
            for question in asked:
                if question not in self._asked:
                    self._ask(question)
            end = time.monotonic() + seconds if start else first
            for question in asked:
                yield self._received(question, max(end - time.monotonic(), 0.0), seconds)

    def begin_with(self, question: Question, spare: int = 0) -> None:
        """Have a question answered while something else is done, unless the workers, but for some
        that are spared, have others."""
        if question not in self._asked and len(self._asked) < self.workers - spare:
            with suppress(Died):
                self._ask(question)

    def answered(self) -> Iterator[tuple[Question, Evidence]]:
        """What was asked ahead and is answered by now."""
        for question, worker in [*self._asked.items()]:
            if worker.has_answered(0.0):
                yield question, self._received(question, 0.0, 0.0)

    def is_asked(self, question: Question) -> bool:
        return question in self._asked

    def forget(self, question: Question | None) -> None:
        """Nobody waits for that answer any more."""
        if question is not None and (worker := self._asked.pop(question, None)) is not None:
            worker.close()

    def _ask(self, question: Question) -> None:
        free = self._free.pop() if self._free else None
        worker = free or Worker(_LONGEST, forked=False, server=self.server)
        try:
            worker.send("evidence", question)
        except Died:
            worker.send("evidence", question)  # it had died since the last one
        self._asked[question] = worker

    def _received(self, question: Question, left: float, seconds: float) -> Evidence:
        worker = self._asked.pop(question)
        self._free.append(worker)
        try:
            found: Evidence = worker.receive(left)
        except (Died, Refusal) as error:
            late = isinstance(error, Died) and error.failure.kind == "Hang"
            reason = f"{LATE} {seconds:.0f} s" if late else f"the verification failed: {error}"
            return Evidence("unsupported", reason=reason)
        return found

    def close(self) -> None:
        for worker in (*self._free, *self._asked.values()):
            worker.close()
        self._free.clear()
        self._asked.clear()


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
