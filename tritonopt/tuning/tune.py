"""`tune_subject`: from one launcher and its calls to text that is faster for them, or none."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt.measurement.tuned import Answer, Progress
from tritonopt.tuning.requests import Request


def tune_subject(request: Request, progress: Callable[[Progress], None] | None = None) -> Answer:
    """Tune one launcher.

    What is wrong with the request, the file or the GPU is the answer's `failure`; nothing is
    raised for it. Nothing but the store is written.
    """
    return Answer(
        request.path,
        request.launcher,
        request.text,
        request.text,
        failure="tuning is not implemented yet",
    )
