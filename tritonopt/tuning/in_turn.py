"""Where requests are worked on: here, one after the other, on the first GPU that is visible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tritonopt.measurement.tuned import Answer, Progress
from tritonopt.tuning.requests import Request
from tritonopt.tuning.tune import tune_subject


def answers_of(
    requests: Sequence[Request], progress: Callable[[Progress], None]
) -> Iterator[Answer]:
    """The answers, in their order. What one leaves of its time is shared by those behind it."""
    left = 0.0
    for at, request in enumerate(requests):
        given = request.budget + left / (len(requests) - at)
        answer = tune_subject(replace(request, budget=given), progress)
        left = max(left + request.budget - answer.seconds, 0.0)
        yield answer
