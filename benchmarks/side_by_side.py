"""Versions of one file, launched in turn on a GPU: what every speed benchmark here shares."""

from __future__ import annotations

import functools
import importlib.util
import json
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import triton

from tritonopt.measurement import timing
from tritonopt.measurement.timing import Device, Effort

RESULTS = Path(__file__).resolve().parent / "results"


def load(path: Path, text: str) -> ModuleType:
    """A module of that text; Triton needs it to stand in a file."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []


def machine() -> dict[str, Any]:
    """What the times were taken on, for the report."""
    device = torch.cuda.get_device_properties(0)
    return {
        "date": time.strftime("%Y-%m-%d"),
        "gpu": device.name,
        "l2_megabytes": device.L2_cache_size / 2**20,
        "torch": torch.__version__,
        "triton": triton.__version__,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
    }


def write_report(report: dict[str, Any], path: Path | None) -> None:
    """To that path, or to the recorded results under the names of benchmark and GPU."""
    gpu = report["gpu"].lower().replace(" ", "-")
    out = path or RESULTS / f"{report['benchmark']}-{gpu}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"written to {out}")


def timed(
    work: dict[str, Callable[[], Any]],
    runs: int,
    *,
    least: int | None = None,
    seconds: float = math.inf,
    device: Device | None = None,
) -> dict[str, list[float]]:
    """Microseconds of every run, round by round, as `tritonopt bench` takes them.

    With `least` that number of rounds is enough where the seconds are over.
    """
    names = list(work)
    effort = Effort(precision=0.0, least=least or runs, most=runs, seconds=seconds)
    pairs = [(names[0], names[-1])]
    return timing.side_by_side(work, device or gpu(), effort, pairs=pairs).runs


@functools.cache
def gpu() -> Device:
    """The GPU; it is asked once what it is, and holds the memory by which the cache is cleared."""
    from tritonopt.measurement.cuda import CudaDevice

    return CudaDevice()


def ratios(original: list[float], other: list[float]) -> dict[str, float]:
    """original / other of neighboring runs: the median, and where most of them lie.

    What is recorded has these three; how sure a ratio is, is another question, which
    `tritonopt.measurement` answers with an interval.
    """
    found = sorted(a / b for a, b in zip(original, other, strict=True))
    return {
        "ratio": statistics.median(found),
        "ratio_p10": found[round(0.1 * (len(found) - 1))],
        "ratio_p90": found[round(0.9 * (len(found) - 1))],
    }
