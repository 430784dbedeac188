"""How often a gain is claimed where there is none, and found where there is one.

    PYTHONPATH=. python benchmarks/null_test.py --budget 90

A kernel is timed against a copy of itself, again and again on new memory, as `bench` does it; and
against itself on three per cent more rows, which it takes about as much longer for. A gain is
claimed where the interval of the ratio lies above 1; it is accepted as `tune` accepts: where a
first measurement claims one that is worth a change, and a second one, which chose nothing, bears
it out.
Writes `benchmarks/results/null_test-GPU.json`.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from benchmarks.side_by_side import load, machine, write_report
from tritonopt.measurement.cuda import CudaDevice
from tritonopt.measurement.results import Ratio
from tritonopt.measurement.timing import Effort, side_by_side
from tritonopt.tuning.acceptance import is_accepted, is_claim

ROOT = Path(__file__).resolve().parent.parent
SHAPES = ((1024, 256), (4096, 1024), (8192, 4096), (128, 65536))
EFFORT = Effort(precision=0.005, seconds=0.25)
PLANTED = 0.03
NAMES = ("null_test_original", "null_test_copy")
"""Of the two modules: nobody else's."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, default=90, help="seconds, for both tests")
    parser.add_argument("--out", type=Path, help="where to write the report")
    given = parser.parse_args()
    text = (ROOT / "examples" / "softmax.py").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        one, copy = (load(Path(folder) / f"{n}.py", text) for n in NAMES)
        device = CudaDevice()
        tests = {
            "against a copy": lambda m, n: pair(one, copy, m, m, n),
            f"on {PLANTED:.0%} more rows": lambda m, n: pair(
                one, copy, round(m * (1 + PLANTED)), m, n
            ),
        }
        report: dict[str, Any] = {"benchmark": "null_test", **machine(), "tests": {}}
        for name, make in tests.items():
            report["tests"][name] = repeated(make, device, given.budget / len(tests))
    report["machine"] = asdict(device.machine())
    write_report(report, given.out)
    for name, found in report["tests"].items():
        for shape, counts in found.items():
            print(f"{name}, {shape}: {counts}")


def pair(
    original: ModuleType, copy: ModuleType, rows: int, fewer: int, columns: int
) -> dict[str, Callable[[], object]]:
    """Both versions, on memory of their own."""
    x = torch.randn(rows, columns, device="cuda")
    less = x[:fewer]
    return {"original": lambda: original.softmax(x), "copy": lambda: copy.softmax(less)}


def repeated(
    make: Callable[[int, int], dict[str, Callable[[], object]]], device: CudaDevice, seconds: float
) -> dict[str, dict[str, Any]]:
    """What was claimed in as many repetitions as fit the time, by shape."""
    found: dict[tuple[int, int], list[tuple[Ratio, Ratio]]] = {shape: [] for shape in SHAPES}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for shape in SHAPES:
            torch.cuda.empty_cache()
            ratios = [ratio_of(make(*shape), device) for _ in range(2)]
            found[shape].append((ratios[0], ratios[1]))
    return {f"{m} x {n}": counts(pairs) for (m, n), pairs in found.items()}


def ratio_of(functions: dict[str, Callable[[], object]], device: CudaDevice) -> Ratio:
    samples = side_by_side(functions, device, EFFORT, pairs=[("original", "copy")])
    return samples.ratio("original", "copy")


def accepted(searched: Ratio, fresh: Ratio) -> bool:
    """Whether `tune` would write the copy: it claims nothing else than what the search claimed."""
    claimed = {"call": searched} if is_claim(searched) else {}
    return is_accepted({"call": fresh}, claimed)


def counts(pairs: list[tuple[Ratio, Ratio]]) -> dict[str, Any]:
    every = [ratio for both in pairs for ratio in both]
    return {
        "measurements": len(every),
        "gains": sum(r.is_gain for r in every),
        "losses": sum(r.is_loss for r in every),
        "tunings": len(pairs),
        "accepted": sum(accepted(first, second) for first, second in pairs),
        "ratio": round(statistics.median(r.value for r in every), 5),
        "lowest": round(min(r.value for r in every), 5),
        "highest": round(max(r.value for r in every), 5),
        "width": round(statistics.median(r.width for r in every), 5),
        "rounds": statistics.median(r.runs for r in every),
    }


if __name__ == "__main__":
    main()
