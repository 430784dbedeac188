"""scalar-loop on a GPU: loops from element to element, and what the pass makes of them.

    PYTHONPATH=. python benchmarks/scalar_loop_speed.py [--out FILE.json]
    PYTHONPATH=. python benchmarks/scalar_loop_speed.py --dry     # no GPU: only make the versions

Each program goes through a row of its own. Original and rewritten, with tiles of several lengths,
are launched in turn on a cold L2, and must give the same. Needs torch, triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
from pathlib import Path
from typing import Any

from tritonopt.rewriting.pipeline import rewrite_source

HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N):
    row = tl.program_id(0)
"""
TAIL = """

def launch(x):
    y = torch.empty_like(x)
    kernel[(x.shape[0],)](x, y, x.shape[1])
    return y
"""
KERNELS = {
    "map": """\
    for i in range(N):
        tl.store(Y + row * N + i, tl.exp(tl.load(X + row * N + i)))
""",
    "sum": """\
    total = 0.0
    for i in range(N):
        total += tl.load(X + row * N + i)
    tl.store(Y + row * N, total)
""",
    "count": """\
    count = 0
    for i in range(N):
        if tl.load(X + row * N + i) > 0.5:
            count += 1
    tl.store(Y + row * N, count)
""",
    "prefix": """\
    total = 0.0
    for i in range(N):
        total += tl.load(X + row * N + i)
        tl.store(Y + row * N + i, total)
""",
    "argmax": """\
    largest = float("-inf")
    place = -1
    for i in range(N):
        x = tl.load(X + row * N + i)
        if x > largest:
            largest = x
            place = i
    tl.store(Y + row * N, place)
""",
}
BLOCKS = (32, 128, 512)
SHAPES = [(1, 3), (1, 64), (1, 1024), (1, 16384), (4096, 3), (4096, 8), (4096, 64), (4096, 1024)]
"""Rows, and the elements of each."""
RUNS = 15


def versions(code: str) -> dict[str, str]:
    original = HEAD + code + TAIL
    made = {"original": original}
    for block in BLOCKS:
        result = rewrite_source(original, f"scalar-loop{{block={block}}}")
        if not result.changed:
            raise SystemExit(f"not rewritten: {[remark.message for remark in result.remarks]}")
        made[str(block)] = result.text
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    texts = {name: versions(code) for name, code in KERNELS.items()}
    if not options.dry:
        measure(texts, options.out)


def measure(texts: dict[str, dict[str, str]], out: Path | None) -> None:
    import torch

    from benchmarks.side_by_side import load, machine, ratios, timed, write_report

    folder = Path(tempfile.mkdtemp())
    results: list[dict[str, Any]] = []
    for name, made in texts.items():
        modules = {v: load(folder / f"{name}_{v}.py", text) for v, text in made.items()}
        for rows, elements in SHAPES:
            torch.manual_seed(0)
            x = torch.rand(rows, elements, device="cuda")
            calls = {v: functools.partial(module.launch, x) for v, module in modules.items()}
            # Of a number for each row the first element is written.
            seen = {v: c() if name in ("map", "prefix") else c()[:, 0] for v, c in calls.items()}
            for found in seen.values():
                torch.testing.assert_close(found, seen["original"], rtol=1e-4, atol=1e-3)
            times = timed(calls, RUNS)
            for version in list(calls)[1:]:
                row = {
                    "kernel": name, "rows": rows, "elements": elements, "block": int(version),
                    "us": [round(statistics.median(times[v]), 2) for v in ("original", version)],
                    **ratios(times["original"], times[version]),
                }  # fmt: skip
                results.append(row)
                print(row, flush=True)
    write_report({"benchmark": "scalar_loop_speed", **machine(), "results": results}, out)


if __name__ == "__main__":
    main()
