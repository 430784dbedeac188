"""Many launchers: one after the other here, or each a task of an engine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tritonopt.engines import Outcome, Task, engine_of
from tritonopt.measurement.tuned import Answer, Progress
from tritonopt.tuning.requests import Request
from tritonopt.tuning.store import Key, Store, StoreError
from tritonopt.tuning.trials import subject_digest
from tritonopt.tuning.tune import tune_subject

_SLACK = 1800.0
"""Seconds that a launcher may take beside its budget: its last step is not cut short."""
Entries = Mapping[Key, Mapping[str, Any]]
"""What a store has of a launcher."""


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
    engine = engine or ("local" if (jobs or 1) > 1 else "inline")
    if engine == "inline" or not requests:
        yield from _in_turn(requests, budget, progress)
        return
    chosen = engine_of(engine, jobs)
    elsewhere = engine.startswith("ray")
    at_once = chosen.at_once([_task(request, timeout) for request in requests])
    share = budget * at_once / len(requests)
    asked = [replace(request, budget=share) for request in requests]
    # What uses its budget up is at work, and does not hang.
    limit = None if timeout is None else max(timeout, share + _SLACK)
    tasks = [_task(request, limit, elsewhere=elsewhere) for request in asked]
    by_name = {_name(request): request for request in asked}
    with chosen.running(tasks) as answers:
        for answer in answers:
            request = by_name[answer.task.name]
            if answer.outcome is not Outcome.DONE:
                failure = f"its task {answer.outcome.value}: {answer.reason}"
                text = request.text
                yield Answer(request.path, request.launcher, text, text, failure=failure)
            elif elsewhere:
                yield _brought_home(request, *answer.value)
            else:
                yield answer.value


def _task(request: Request, timeout: float | None, *, elsewhere: bool = False) -> Task:
    if not elsewhere:
        function = "tritonopt.tuning.tune:tune_subject"
        return Task(_name(request), function, (request,), timeout=timeout, gpu=1)
    known: Entries = {}
    if request.store:
        known = Store(Path(request.store)).of_kernel(subject_digest(request))
    function = f"{__name__}:tune_elsewhere"
    return Task(_name(request), function, (request, known), timeout=timeout, gpu=1)


def tune_elsewhere(request: Request, known: Entries) -> tuple[Answer, Entries]:
    """Tune one launcher on a machine that does not have the store.

    It is given what the store has of the launcher, and gives back what the store is to have.
    """
    with tempfile.TemporaryDirectory(prefix="tritonopt-") as folder:
        store = Store(Path(folder) / "store.sqlite")
        store.put_all(known)
        answer = tune_subject(replace(request, store=str(store.path)))
        return answer, store.of_kernel(subject_digest(request))


def _brought_home(request: Request, answer: Answer, entries: Entries) -> Answer:
    """The answer, with what was found on the way in the store."""
    try:
        if request.store:
            Store(Path(request.store)).put_all(entries)
    except StoreError as error:
        note = f"{error}: what was found is not kept for another run"
        return replace(answer, notes=(*answer.notes, note))
    return answer


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
