"""pipeline-loads on a GPU: loops that load ahead, and unrolled ones, against the loops as written.

    PYTHONPATH=. python benchmarks/pipeline_loads_speed.py [--out FILE.json] [--seconds 150]
    PYTHONPATH=. python benchmarks/pipeline_loads_speed.py --dry    # no GPU: only the versions

Layer norm, softmax and row sums of `examples/`, and a sum that keeps a tile of partial sums, each
with tiles of 1024 and of 4096 elements, as they are and with every knob, are launched in turn on a
cold L2; where results have other bits, that is recorded. First, a loop that loads what its
previous iteration stored, which the pass declines: with `num_stages` written by hand it gives
another result. No shape starts after `--seconds`. Needs torch, triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tritonopt.rewriting.pipeline import rewrite_source

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
KNOBS = {
    **{f"num_stages={stages}": f"pipeline-loads{{num_stages={stages}}}" for stages in (2, 3, 4)},
    **{f"unroll={n}": f"pipeline-loads{{num_stages=0,unroll={n}}}" for n in (2, 4)},
}
TILES = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(total, axis=0))


def row_sum_in_a_tile(x):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    kernel[(m,)](x, y, n, BLOCK=block)
    return y
"""
RUNNING = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    for start in range(0, N - BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols)
        tl.store(X + cols + BLOCK, x + 1.0)


def running(x):
    kernel[(1,)](x, x.numel(), BLOCK=1024)
    return x
"""
FUNCTIONS = ("layer_norm", "softmax", "row_sum", "row_max", "row_sum_in_a_tile")
SHAPES = ((16, 4194304), (132, 262144), (4096, 65536), (8192, 16384), (16384, 4096), (65536, 2048))
BLOCKS = (1024, 4096)
RUNS = 15


def source(function: str) -> str:
    if function == "row_sum_in_a_tile":
        return TILES
    file = "row_reductions" if function.startswith("row_") else function
    return (EXAMPLES / f"{file}.py").read_text(encoding="utf-8")


def versions(function: str, block: int) -> dict[str, str]:
    text = source(function)
    assert "min(1024, " in text
    text = text.replace("min(1024, ", f"min({block}, ")
    made = {"original": text}
    for name, passes in KNOBS.items():
        result = rewrite_source(text, passes)
        if result.changed:
            made[name] = result.text
        else:
            print(f"{function}, {block}, {name}: {[r.message for r in result.remarks]}")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    parser.add_argument("--seconds", type=float, default=150, help="start no shape after that")
    options = parser.parse_args()
    cells = {(f, block): versions(f, block) for block in BLOCKS for f in FUNCTIONS}
    if not options.dry:
        measure(cells, options.out, time.monotonic() + options.seconds)


def measure(cells: dict[tuple[str, int], dict[str, str]], out: Path | None, end: float) -> None:
    import torch

    from benchmarks.side_by_side import load, machine, write_report

    folder = Path(tempfile.mkdtemp())
    modules = {
        cell: {
            name: load(folder / f"{cell[0]}_{cell[1]}_{number}.py", text)
            for number, (name, text) in enumerate(made.items())
        }
        for cell, made in cells.items()
    }
    wrong = stale(folder)
    results: list[dict[str, Any]] = []
    for dtype in ("float16", "float32"):
        for shape in SHAPES:
            torch.manual_seed(0)
            x = torch.randn(*shape, device="cuda").to(getattr(torch, dtype))
            w = torch.randn(shape[1], device="cuda").to(x.dtype)
            for (function, block), made in modules.items():
                if time.monotonic() > end:
                    break
                arguments = (x, w, w) if function == "layer_norm" else (x,)
                calls = {
                    name: functools.partial(getattr(module, function), *arguments)
                    for name, module in made.items()
                }
                row = {"kernel": function, "dtype": dtype, "shape": list(shape), "block": block}
                results.append(row | compared(calls))
                print(results[-1], flush=True)
    report = {"benchmark": "pipeline_loads_speed", **machine(), "stale": wrong, "results": results}
    write_report(report, out)


def stale(folder: Path) -> bool:
    """Whether a loop that the pass declines gives another result with `num_stages` in it."""
    import torch

    from benchmarks.side_by_side import load

    assert not rewrite_source(RUNNING, KNOBS["num_stages=3"]).changed
    by_hand = RUNNING.replace(
        "range(0, N - BLOCK, BLOCK)", "tl.range(0, N - BLOCK, BLOCK, num_stages=3)"
    )
    x = torch.zeros(2**20, device="cuda")
    found = [
        load(folder / f"running_{number}.py", text).running(x.clone())
        for number, text in enumerate((RUNNING, by_hand))
    ]
    same = torch.equal(*found)
    print(f"a loop that loads what it has stored: {'the same' if same else 'another'} result")
    return not same


def compared(calls: dict[str, Any]) -> dict[str, Any]:
    """Each version against the original: the ratio, and whether the bits are the same."""
    import torch

    from benchmarks.side_by_side import ratios, tensors, timed

    outcomes: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, call in calls.items():
        try:
            outcomes[name] = tensors(call())
        except Exception as error:  # OutOfResources: what does not fit
            failed[name] = type(error).__name__
    first = outcomes["original"]
    times = timed({name: calls[name] for name in outcomes}, RUNS)
    found: dict[str, Any] = {"us": round(statistics.median(times["original"]), 2)}
    found["versions"] = {
        name: {
            "same_bits": all(map(torch.equal, first, outcomes[name])),
            **ratios(times["original"], times[name]),
        }
        for name in outcomes
        if name != "original"
    }
    return found | ({"failed": failed} if failed else {})


if __name__ == "__main__":
    main()
