"""The same run of `tune --engine local`, on one, two and all GPUs: how much sooner it is done."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.tuned.findings import compact
from benchmarks.tuned.running import ran
from benchmarks.tuned.tasks import ROOT

FILES = (
    *("softmax.py", "log_softmax.py", "variance.py"),
    *(f"row_reductions.py:row_{name}_kernel" for name in ("sum", "max", "argmax", "abs_min")),
    "row_reductions.py:row_product_kernel",
)
"""Eight launchers: what is left over when a GPU has nothing to do is then little of it."""
ARGS = "x: f16[m=4096, n=256|1024|4096|16384]"
LIMITED = (
    *("--passes", "rows,one-tile{longer_rows=branch}", "--keep-parameters"),
    *("--max-examples", "20", "--backend", "interpreter"),
)
"""So that every launcher is looked at to its end, well within its budget: a run that is cut takes
as long on any number of GPUs."""


def speed_up(
    tritonopt: Sequence[str], gpus: Sequence[str], folder: Path, seconds: float
) -> dict[str, Any]:
    """The runs, each with copies of the files and a store of its own; `seconds` are for all."""
    found: dict[str, Any] = {"files": FILES, "args": ARGS, "options": LIMITED, "runs": []}
    left = seconds
    for count in sorted({1, min(2, len(gpus)), len(gpus)}):
        used = gpus[:count]
        with tempfile.TemporaryDirectory(dir=folder) as name:
            copies = Path(name)
            for file in FILES:
                shutil.copy(ROOT / "examples" / file.partition(":")[0], copies)
            store = ("--store", str(copies / "store.sqlite"), "--budget", "1h")
            engine = ("--engine", "local", "--jobs", str(len(used)), "--format", "json")
            places = [str(copies / file) for file in FILES]
            ended = ran(
                [*tritonopt, "tune", *places, "--args", ARGS, *LIMITED, *store, *engine],
                folder / "logs" / f"speed_up-{len(used)}.err",
                left,
                CUDA_VISIBLE_DEVICES=",".join(used),
            )
        left -= ended.seconds
        try:
            answers = json.loads(ended.out)["launchers"]
        except (ValueError, KeyError):
            found["runs"].append({"gpus": len(used), "failure": ended.failure})
            break
        run = {"gpus": len(used), "seconds": round(ended.seconds, 1)}
        found["runs"].append({**run, "launchers": [compact(each) for each in answers]})
    first, *others = found["runs"]
    for run in others:
        if "seconds" in run:
            run["speed_up"] = round(first["seconds"] / run["seconds"], 3)
    return found
