"""Compile and check versions before any is timed, in many processes: compiling takes longest.

What they compiled is found by the process that measures in the caches of Triton and Inductor.
"""

from __future__ import annotations

import os
import time
from typing import Any


def prepared(
    name: str, version: str, text: str, dtype: str, rows: int, length: int, device: str
) -> dict[str, Any]:
    """Run a version once and compare; in a process of its own."""
    # Others compile at the same time.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    from benchmarks.row.functions import wrong
    from benchmarks.row.plan import COMPILED

    begin = time.perf_counter()
    try:
        said = wrong(name, version, text, dtype, rows, length, device)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:300]
        if "CUDA error" in said:
            os._exit(1)  # nothing works in this process anymore
    import torch

    if version == COMPILED:
        torch._dynamo.reset()  # each shape is one of its own
    if device == "cuda":
        torch.cuda.empty_cache()  # the others need it
    return {"verdict": "prepared", "reason": said, "seconds": time.perf_counter() - begin}
