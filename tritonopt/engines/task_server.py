"""The process that does tasks for `local`, one at a time.

It leads a session of its own, so that Ctrl-C at a terminal reaches only the process that asked, and
ends with everything that its tasks started as soon as nobody waits for its answers.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import threading
from dataclasses import replace
from multiprocessing.connection import Connection

from tritonopt.engines.work import Answer, Outcome, Task, run


def serve(descriptor: int) -> None:
    """Answer requests until the other side hangs up."""
    threading.Thread(target=_end_with_the_other_side, args=(descriptor,), daemon=True).start()
    connection = Connection(descriptor)
    while True:
        try:
            request, arguments = connection.recv()
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


def _end_with_the_other_side(descriptor: int) -> None:
    hangup = select.poll()
    hangup.register(descriptor, 0)  # nothing but that the other side is gone
    hangup.poll()
    os.killpg(0, signal.SIGKILL)
