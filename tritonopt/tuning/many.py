"""Many launchers: one after the other here, or each a task of an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tritonopt.engines import Outcome, Task, engine_of
from tritonopt.engines.local import visible_gpus
from tritonopt.measurement.tuned import Answer, Progress
from tritonopt.tuning.requests import Request
from tritonopt.tuning.tune import tune_subject

_FUNCTION = "tritonopt.tuning.tune:tune_subject"


def answers_of(
    requests: Sequence[Request],
    budget: float,
    progress: Callable[[Progress], None],
    engine: str | None = None,
    jobs: int | None = None,
    timeout: float | None = None,
) -> Iterator[Answer]:
    """The answers as they come, one for every request; `budget` seconds are for all together.

    Without an engine they are worked on by this process, one after the other, on the first GPU
    that is visible. Raises EngineError.
    """
    if engine in (None, "inline"):
        yield from _in_turn(requests, budget, progress)
        return
    at_once = min(jobs or max(len(visible_gpus()), 1), len(requests))
    share = budget * at_once / len(requests)
    asked = [replace(request, budget=share) for request in requests]
    tasks = [
        Task(_name(request), _FUNCTION, (request,), timeout=timeout, gpu=1) for request in asked
    ]
    by_name = {_name(request): request for request in asked}
    with engine_of(engine or "", jobs).running(tasks) as answers:
        for answer in answers:
            if answer.outcome is Outcome.DONE:
                yield answer.value
                continue
            request = by_name[answer.task.name]
            failure = f"its task {answer.outcome.value}: {answer.reason}"
            text = request.text
            yield Answer(request.path, request.launcher, text, text, failure=failure)


def _in_turn(
    requests: Sequence[Request], budget: float, progress: Callable[[Progress], None]
) -> Iterator[Answer]:
    """What one leaves of its time is for those behind it."""
    left = budget
    for at, request in enumerate(requests):
        share = max(left, 1.0) / (len(requests) - at)
        answer = tune_subject(replace(request, budget=share), progress)
        left -= answer.seconds
        yield answer


def _name(request: Request) -> str:
    return f"{request.path}: {request.launcher}"


def in_their_order(requests: Sequence[Request], answers: Sequence[Answer]) -> list[Answer]:
    """The answers, one for each request."""
    found = {f"{answer.path}: {answer.launcher}": answer for answer in answers}
    return [found[_name(request)] for request in requests]
