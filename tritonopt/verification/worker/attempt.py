"""One call of the original, to see whether it takes what it is given."""

from __future__ import annotations

import linecache
import re
import sys
import time
from types import FrameType
from typing import Any

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.messages import (
    TOO_LONG,
    Attempt,
    Blame,
    Outcome,
    RunOptions,
)
from tritonopt.verification.worker.blame import Blaming
from tritonopt.verification.worker.loaded_version import LoadedVersion
from tritonopt.verification.worker.one_call import called

_MOST_WORK = 20_000
"""Statements of kernels that an attempt executes: what has run as long has shown all it can."""
_WRONG_SIZE = "returned an invalid gradient"
"""What autograd says of a gradient that has not the shape of its tensor: every kernel ran, so it
is a size that is wrong. A type without gradients would only evade it."""


def attempt(version: LoadedVersion, example: Example) -> Attempt:
    """Run the launcher once, and count the lines of its file that were reached."""
    path, text = version.spec.text_path, version.spec.text
    if version.spec.home:
        path = version.spec.home
        text = "".join(linecache.getlines(path))
    reached: set[tuple[str, int]] = set()
    names = [name for name, _ in example.arguments]
    blaming = Blaming(text, names if version.spec.by_position else ())

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        reached.add((frame.f_code.co_name, frame.f_lineno))
        if event == "exception":
            blaming.failed(frame, argument[1])
        return line

    def call(frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename != path:
            return None
        blaming.entered(frame)
        return line

    before = sys.gettrace()
    started = time.process_time()
    sys.settrace(call)
    try:
        outcome = called(version, example, RunOptions(most_work=_MOST_WORK))
    finally:
        sys.settrace(before)
    seconds = time.process_time() - started
    return judge(outcome, len(reached), seconds, blaming.blame)


def judge(outcome: Outcome, lines: int, seconds: float, blame: Blame = Blame()) -> Attempt:  # noqa: B008  # it is frozen
    """How far a run came, in which so many lines were reached."""
    failure = outcome.failure
    if failure is not None and failure.kind == TOO_LONG:
        failure = None  # it has taken its arguments as far as it came
    trouble = "" if failure is None else str(failure)
    if failure is not None and outcome.launches and _WRONG_SIZE in trouble:
        level = Attempt.OUTSIDE
    elif failure is not None:
        level = Attempt.FAILED_AFTER_LAUNCH if outcome.launches else Attempt.FAILED
    elif outcome.out_of_bounds_loads or outcome.out_of_bounds_stores:
        level = Attempt.OUTSIDE
        trouble = (*outcome.out_of_bounds_stores, *outcome.out_of_bounds_loads)[0]
        blame = Blame(tuple(re.findall(r"argument ([\w\[\]]+)", trouble)))
    elif not outcome.launches:
        level, trouble = Attempt.NO_LAUNCH, "no kernel was launched"
    elif not outcome.written and not outcome.coverage.stored:
        level, trouble = Attempt.NOTHING_WRITTEN, "no kernel changed any memory"
    elif outcome.races:
        level = Attempt.RACING
        trouble = outcome.races[0]
    else:
        level = Attempt.GOOD
    return Attempt(level, lines, trouble, outcome.configurations, seconds, blame)
