"""Versions of one file, launched in turn on a GPU: what every speed benchmark here shares."""

from __future__ import annotations

import importlib.util
import json
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
    work: dict[str, Callable[[], Any]], runs: int, flush_bytes: int = 2**29
) -> dict[str, list[float]]:
    """Microseconds of every run. The order turns by one each round: none is always first."""
    size = torch.cuda.get_device_properties(0).L2_cache_size
    # Large enough that the flush hides the time that Python takes to launch.
    flush = torch.empty(max(8 * size, flush_bytes), dtype=torch.int8, device="cuda")
    names = list(work)
    for name in names:
        for _ in range(3):
            work[name]()
    events: list[tuple[str, torch.cuda.Event, torch.cuda.Event]] = []
    for run in range(runs):
        turn = run % len(names)
        for name in names[turn:] + names[:turn]:
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            flush.zero_()
            begin.record()
            work[name]()
            end.record()
            events.append((name, begin, end))
    torch.cuda.synchronize()
    times: dict[str, list[float]] = {name: [] for name in names}
    for name, begin, end in events:
        times[name].append(begin.elapsed_time(end) * 1e3)
    return times


def ratios(original: list[float], other: list[float]) -> dict[str, float]:
    """original / other of neighboring runs: the median, and where most of them lie."""
    found = sorted(a / b for a, b in zip(original, other, strict=True))
    return {
        "ratio": statistics.median(found),
        "ratio_p10": found[round(0.1 * (len(found) - 1))],
        "ratio_p90": found[round(0.9 * (len(found) - 1))],
    }
