"""The process that does tasks for `local`, one at a time.

It leads a session of its own, so that Ctrl-C at a terminal reaches only the process that asked. A
guard ends everything that its tasks started as soon as it is gone, or nobody waits for its answers.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
from dataclasses import replace
from multiprocessing.connection import Connection

from tritonopt.engines.work import Answer, Outcome, Task, run


def serve(descriptor: int) -> None:
    """Answer requests until the other side hangs up."""
    _set_a_guard(descriptor)
    connection = Connection(descriptor)
    while True:
        try:
            request, arguments, _ = connection.recv()
        except EOFError:
            return
        connection.send(("ok", _gpus() if request == "gpus" else _answer(*arguments)))


def _answer(data: bytes) -> bytes:
    """The answer to a task, both pickled: what cannot be is this task's failure, and no more.

    The task is not sent back: who asked knows it.
    """
    nothing = Task("", "")
    try:
        task: Task = pickle.loads(data)
    except Exception as error:
        reason = f"it cannot be read in another process: {error}"
        return pickle.dumps(Answer(nothing, Outcome.FAILED, reason=reason))
    answer = run(task)
    try:
        return pickle.dumps(replace(answer, task=nothing))
    except Exception as error:
        reason = f"its result cannot be sent to another process: {error}"
        return pickle.dumps(Answer(nothing, Outcome.FAILED, reason=reason, seconds=answer.seconds))


def _gpus() -> int:
    """How many this process sees; 0 too where torch is missing, which the tasks will say."""
    try:
        import torch
    except Exception:
        return 0
    return int(torch.cuda.device_count())


def _set_a_guard(descriptor: int) -> None:
    """A process that waits for the end of this one, or of the other side, whatever they are at."""
    ours, theirs = os.pipe()
    if os.fork():
        os.close(ours)
        return
    # It holds the connection too, so the other side learns of a death when everything is gone.
    os.close(theirs)
    hangup = select.poll()
    for watched in (descriptor, ours):
        hangup.register(watched, 0)  # nothing but that the other end is closed
    hangup.poll()
    os.killpg(0, signal.SIGKILL)
