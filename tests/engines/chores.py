"""What the tasks of these tests do, in processes that import this."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def double(number: int, *, pause: float = 0.0) -> int:
    time.sleep(pause)
    return 2 * number


def fail(text: str) -> None:
    raise ValueError(text)


def crash() -> None:
    print("about to read where nothing is", flush=True)
    ctypes.string_at(0)


def hang(folder: str, *, also: bool = False) -> None:
    """Forever, `also` in a process of its own; their numbers stand in the folder."""
    if also:
        other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(folder, str(other.pid)).touch()
    Path(folder, str(os.getpid())).touch()
    time.sleep(600)


def unsendable() -> Any:
    return lambda: 1


def surroundings() -> tuple[int, str | None]:
    """The process, and the GPUs that it is told of."""
    return os.getpid(), os.environ.get("CUDA_VISIBLE_DEVICES")
