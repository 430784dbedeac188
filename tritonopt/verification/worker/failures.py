"""What a call failed with, in plain data."""

from __future__ import annotations

import os
import traceback

from tritonopt.verification.process.messages import OUT_OF_MEMORY, TOO_LARGE, TOO_LONG, Failure


def explain(error: BaseException) -> str:
    """The message, and the line of the user's file that it comes from."""
    text = str(error).strip() or repr(error)
    own = __name__.partition(".")[0]
    frames = [
        traceback.FrameSummary(frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").partition(".")[0] != own
    ]
    theirs = [f for f in frames if "/" in f.filename]
    library = [f for f in theirs if "site-packages" not in f.filename and "<" not in f.filename]
    if library:
        text += f" ({os.path.basename(library[-1].filename)}:{library[-1].lineno})"
    return text


def failure_of(error: BaseException) -> Failure:
    from tritonopt.verification.worker.guarded_memory import TooLarge
    from tritonopt.verification.worker.probes import TooLong
    from tritonopt.verification.worker.triton_interpreter.corrected import Refused

    refused = False
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TooLong):
            return Failure(TOO_LONG, str(cause), refused=True)
        # What the interpreter's builder does not have, it was never taught.
        unknown = isinstance(cause, AttributeError) and "InterpreterBuilder" in str(cause)
        refused = refused or unknown or isinstance(cause, (Refused, NotImplementedError))
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, TooLarge):
        return Failure(TOO_LARGE, explain(error), refused=True)
    if _is_out_of_memory(error):
        return Failure(OUT_OF_MEMORY, explain(error), refused=True)
    return Failure(type(error).__name__, explain(error), refused=refused)


def _is_out_of_memory(error: BaseException) -> bool:
    # On a CPU torch has no type of its own for it.
    if isinstance(error, RuntimeError) and "can't allocate memory" in str(error):
        return True
    return type(error).__name__ in (OUT_OF_MEMORY, "MemoryError")


def leave_if_poisoned(error: BaseException) -> None:
    """An illegal access ends the CUDA context: the process has no further use."""
    import torch

    try:
        torch.cuda.synchronize()
    except Exception:
        print(f"{type(error).__name__}: {error}", flush=True)
        os._exit(70)
