"""grid-stride as it is named without options: the limit that it chooses, kind by kind, on a GPU.

    PYTHONPATH=. python benchmarks/grid_stride_speed.py [--only WORD] [--runs N] [--out FILE]

What `benchmarks/rewrites_speed.py` measures, and as it does, of plain elementwise and row kernels,
of sums of gradients, and of kernels with matrix products: the pass alone, and with other limits.
Where a version does not launch, the error is the result.

Needs torch, triton and a CUDA device, and libcst to make the rewritten versions.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.rewrites_speed import ROOT, Case, line_of, measured
from benchmarks.side_by_side import machine, write_report

LIMITS = ("grid-stride", "grid-stride{programs=sm*2}", "grid-stride{programs=sm*32}")
CALLS = [
    ("benchmarks/tiles/vector_add.py", "add", "f32[{n}], f32[{n}]", (2**16, 2**20, 2**26)),
    ("examples/rms_norm.py", "rms_norm", "f16[{n}, 512], f16[512]", (4096, 65536)),
    ("examples/rms_norm.py", "rms_norm", "f32[{n}, 4096], f32[4096]", (4096, 65536)),
    ("examples/softmax.py", "softmax", "f32[4096, {n}]", (512, 4096)),
    (
        "examples/layer_norm_backward.py",
        "layer_norm_backward",
        "f16[{n}, 1024], f16[{n}, 1024], f16[1024], f32[{n}], f32[{n}]",
        (128, 4096, 32768),
    ),
    (
        "benchmarks/tiles/attention.py",
        "attention",
        "f16[64, {n}, 64], f16[64, {n}, 64], f16[64, {n}, 64]",
        (512, 4096),
    ),
    (
        "benchmarks/tiles/attention.py",
        "window_attention",
        "f16[{n}, 128, 128], f16[{n}, 128, 128], f16[{n}, 128, 128]",
        (128, 8192),
    ),
]


def cases() -> list[Case]:
    return [
        Case(passes, ROOT / path, launcher, arguments.format(n=n))
        for path, launcher, arguments, sizes in CALLS
        for n in sizes
        for passes in LIMITS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose line holds this")
    parser.add_argument("--runs", type=int, default=30, help="timed runs of each version (30)")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.runs < 2:
        parser.error("--runs: at least 2 are needed")
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device")
    torch.manual_seed(0)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in (case for case in cases() if options.only in case.label):
            rows.append(row := _measured(case, Path(folder), options.runs))
            print(f"{case.label}: {row['failed']}" if "failed" in row else line_of(row), flush=True)
    report = {"benchmark": "grid_stride_speed", **machine(), "runs": options.runs, "results": rows}
    write_report(report, options.out)


def _measured(case: Case, folder: Path, runs: int) -> dict[str, Any]:
    try:
        return measured(case, folder, runs)
    except Exception as error:  # whatever a compiler or a driver raises
        kernel = f"{case.path.stem}.{case.launcher}"
        row = {"passes": case.passes, "kernel": kernel, "arguments": case.arguments}
        return {**row, "failed": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
