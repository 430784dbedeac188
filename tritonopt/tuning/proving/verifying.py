"""The parent's end of the workers that verify: several at once, each for one variant at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.verifying_server import Question
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

    def begin(self) -> None:
        """Start a worker, which imports what it needs while something else is done."""
        if not self._free:
            worker = Worker(_LONGEST, forked=False, server=self.server)
            worker.send("begin")
            self._free.append(worker)
            self._begun = True

    def answers(self, questions: Sequence[Question], seconds: float) -> Iterator[Evidence]:
        """Their answers, in their order; each has so many seconds. What ends or hangs is no yes."""
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
            for _, worker in pairs:
                yield self._received(worker, seconds)

    def _send(self, worker: Worker, question: Question) -> None:
        try:
            worker.send("evidence", question)
        except Died:
            worker.send("evidence", question)  # it had died since the last one

    def _received(self, worker: Worker, seconds: float) -> Evidence:
        try:
            found: Evidence = worker.receive(seconds)
        except (Died, Refusal) as error:
            late = isinstance(error, Died) and error.failure.kind == "Hang"
            reason = f"it was not verified within {seconds:.0f} s" if late else (
                f"the verification failed: {error}"
            )  # fmt: skip
            return Evidence("unsupported", reason=reason)
        return found

    def close(self) -> None:
        for worker in self._free:
            worker.close()
        self._free.clear()


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
