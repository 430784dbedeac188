"""What a call failed with, in plain data."""

from __future__ import annotations

import linecache
import os
import traceback

from tritonopt.verification.process.messages import (
    NO_GPU,
    OUT_OF_MEMORY,
    TOO_LARGE,
    TOO_LONG,
    Failure,
)

_OF_A_GPU = ("CUDA", "cuda", "accelerator", "NVIDIA")


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
    if _takes_a_gpu(error):
        return Failure(NO_GPU, f"there is no GPU here: {explain(error)}", refused=True)
    return Failure(type(error).__name__, explain(error), refused=refused)


def _takes_a_gpu(error: BaseException) -> bool:
    """Whether torch raised it for the want of a GPU: in its code for one, or with a word of it.

    What the file itself raises is its own affair.
    """
    import torch

    frames = traceback.extract_tb(error.__traceback__)
    if not frames or torch.cuda.is_initialized():
        return False
    last = frames[-1]
    home = os.path.dirname(torch.__file__)
    if last.filename.startswith((os.path.join(home, "cuda"), os.path.join(home, "accelerator"))):
        return True
    raised = linecache.getline(last.filename, last.lineno or 0).lstrip()
    if not last.filename.startswith(home) and raised.startswith(("raise", "assert")):
        return False
    torchs = isinstance(error, (RuntimeError, AssertionError))
    dummy = last.filename == os.path.join(home, "_utils.py") and "base class" in str(error)
    return torchs and (dummy or any(word in str(error) for word in _OF_A_GPU))


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
