"""split-reduce on a GPU: reductions of few long and of many short rows, before and after the pass.

    PYTHONPATH=. python benchmarks/reductions.py [--out FILE.json] [--seconds 420]
    PYTHONPATH=. python benchmarks/reductions.py --dry         # no GPU: only the versions
    PYTHONPATH=. python benchmarks/reductions.py --table FILE.json

Sum, maximum, minimum, mean, variance, argmax and the statistics of a softmax of each row, in
textbook kernels: as they are, after `split-reduce` with several numbers of programs and tiles, and
after all passes over rows; beside them torch eager, torch.compile and a copy that moves as many
bytes. In fp32, on a cold L2, launched in turn. A row of 10^9 elements is a whole tensor.
Needs torch, triton and a CUDA device; kernels that the pass leaves alone are said so.
"""

from __future__ import annotations

import argparse
import functools
import json
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tritonopt.measurement.timing import Device
from tritonopt.rewriting.pipeline import rewrite_source

HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
{begin}    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other={other})
{body}{end}

def launch(x):
    m, n = x.shape
    y = torch.empty({shape}, dtype={dtype}, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK={block}, num_warps={warps})
    return y
"""
ZEROS = "tl.zeros([BLOCK], dtype=tl.float32)"
KERNELS: dict[str, tuple[str, str, str, str]] = {
    "sum": (f"acc = {ZEROS}", "0.0", "acc += x", "tl.store(Y + row, tl.sum(acc, axis=0))"),
    "max": (
        'acc = tl.full([BLOCK], -float("inf"), dtype=tl.float32)',
        '-float("inf")',
        "acc = tl.maximum(acc, x)",
        "tl.store(Y + row, tl.max(acc, axis=0))",
    ),
    "min": (
        'acc = tl.full([BLOCK], float("inf"), dtype=tl.float32)',
        'float("inf")',
        "acc = tl.minimum(acc, x)",
        "tl.store(Y + row, tl.min(acc, axis=0))",
    ),
    "mean": (f"acc = {ZEROS}", "0.0", "acc += x", "tl.store(Y + row, tl.sum(acc, axis=0) / N)"),
    "variance": (
        f"first = tl.load(X)\ntotal = {ZEROS}\nsquares = {ZEROS}",
        "0.0",
        "d = tl.where(cols < N, x - first, 0.0)\ntotal += d\nsquares += d * d",
        "mean = tl.sum(total, axis=0) / N\n"
        "tl.store(Y + row, tl.sum(squares, axis=0) / N - mean * mean)",
    ),
    "argmax": (
        'top = -float("inf")\nbest = 0',
        '-float("inf")',
        "new, place = tl.max(x, axis=0, return_indices=True)\n"
        "best = tl.where(new > top, start + place, best)\n"
        "top = tl.maximum(top, new)",
        "tl.store(Y + row, best)",
    ),
    "softmax statistics": (
        "most = -1e30\npowers = 0.0",
        '-float("inf")',
        "new = tl.maximum(most, tl.max(x, axis=0))\n"
        "powers = powers * tl.exp(most - new) + tl.sum(tl.exp(x - new), axis=0)\n"
        "most = new",
        "tl.store(Y + 2 * row, most)\ntl.store(Y + 2 * row + 1, powers)",
    ),
}
"""By name: what stands before the loop, what masked-off lanes hold, the loop, what is behind."""
SHAPES = [(1, 10**9), (16, 4 * 2**20), (1024, 65536), (10**6, 64)]
TILES = {
    "": ("min(1024, triton.next_power_of_2(max(n, 16)))", 4),
    ", tiles of 4096": ("4096", 8),
}
"""As textbooks make them, and the same for every row; with the warps of a program."""
_SLOW = 50_000.0
"""Microseconds of a run of which one is enough."""
PASSES = {
    "split-reduce": "split-reduce",
    "split-reduce, sm*16": "split-reduce{programs=sm*16}",
    "rows and split-reduce": "one-tile{longer_rows=branch},defer-reduction,row-batch,split-reduce",
}


def source(name: str, block: str, warps: int) -> str:
    """The textbook kernel and its launcher."""
    begin, other, body, end = KERNELS[name]
    parts = {
        "begin": _indented(begin, 4),
        "body": _indented(body, 8),
        "end": _indented(end, 4),
        "shape": "m, 2" if name == "softmax statistics" else "m",
        "dtype": "torch.int32" if name == "argmax" else "torch.float32",
    }
    return HEAD.format(other=other, block=block, warps=warps, **parts)


def _indented(code: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in code.split("\n"))


def versions(name: str) -> dict[str, str]:
    """The texts of a kernel; none for a pass that leaves it alone."""
    found = {}
    for tile, (block, warps) in TILES.items():
        original = source(name, block, warps)
        found[f"original{tile}"] = original
        for label, passes in PASSES.items():
            result = rewrite_source(original, passes)
            if result.changed:
                found[f"{label}{tile}"] = result.text
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--table", type=Path, help="print the table of a record")
    parser.add_argument("--seconds", type=float, default=420, help="when to begin no other cell")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.table.read_text(encoding="utf-8"))))
        return
    texts = {name: versions(name) for name in KERNELS}
    for name, made in texts.items():
        print(f"{name}: {', '.join(made)}")
    if not options.dry:
        measure(texts, options.out, time.monotonic() + options.seconds)


def measure(texts: dict[str, dict[str, str]], out: Path | None, until: float) -> None:
    import torch

    from benchmarks.side_by_side import load, machine, write_report

    folder = Path(tempfile.mkdtemp())
    modules = {
        name: {
            version: load(folder / f"{name.replace(' ', '_')}_{number}.py", text)
            for number, (version, text) in enumerate(made.items())
        }
        for name, made in texts.items()
    }
    results: list[dict[str, Any]] = []
    for m, n in SHAPES:
        torch.manual_seed(0)
        x = torch.randn(m, n, device="cuda")
        for name, made in modules.items():
            if time.monotonic() > until:
                print(f"no time left for {name} at {m} x {n}")
                continue
            calls = {v: functools.partial(module.launch, x) for v, module in made.items()}
            results.append({"kernel": name, "shape": [m, n], **compared(name, calls, x)})
            print(results[-1], flush=True)
        del x
        torch.cuda.empty_cache()
        write_report({"benchmark": "reductions", **machine(), "results": results}, out)


def torchs(name: str) -> Any:
    """What torch has for it."""
    import torch

    def statistics(x: Any) -> Any:
        top = x.amax(dim=1)
        return torch.stack([top, (x - top[:, None]).exp().sum(dim=1)], dim=1)

    return {
        "sum": lambda x: x.sum(dim=1),
        "max": lambda x: x.amax(dim=1),
        "min": lambda x: x.amin(dim=1),
        "mean": lambda x: x.mean(dim=1),
        "variance": lambda x: x.var(dim=1, correction=0),
        "argmax": lambda x: x.argmax(dim=1),
        "softmax statistics": statistics,
    }[name]


def compared(name: str, calls: dict[str, Any], x: Any) -> dict[str, Any]:
    """Medians of all versions, torch and a copy, and whether they agree."""
    import torch

    from benchmarks.side_by_side import gpu
    from tritonopt.measurement.timing import Effort, side_by_side

    # What torch makes on the way of a softmax's statistics would not fit beside the rest.
    fits = not (name == "softmax statistics" and x.numel() > 2**29)
    if fits:
        calls = {**calls, "torch": functools.partial(torchs(name), x)}
    torch._dynamo.reset()
    calls = {**calls, "torch.compile": functools.partial(torch.compile(torchs(name)), x)}
    expected = calls["original"]()
    agree = {v: _agree(expected, call()) for v, call in calls.items()}
    again = all(torch.equal(calls[v](), calls[v]()) for v in calls if "split" in v)
    source = torch.empty(x.numel() * 4 // 2, dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    calls = {**calls, "copy": lambda: target.copy_(source)}
    once = {version: _once(call, gpu()) for version, call in calls.items()}
    slow = {version: took for version, took in once.items() if took > _SLOW}
    quick = {version: call for version, call in calls.items() if version not in slow}
    samples = side_by_side(quick, gpu(), Effort(least=15, most=15, seconds=6.0))
    us = {v: slow[v] if v in slow else samples.times(v).median for v in calls}
    return {
        "run_once": sorted(slow),
        "us": {version: round(time, 2) for version, time in us.items()},
        "share_of_copy": {v: round(us["copy"] / time, 3) for v, time in us.items()},
        "agree": agree,
        "deterministic": again,
    }


def _once(call: Callable[[], object], device: Device) -> float:
    """Microseconds of one run, of which `side_by_side` would make seven only to begin with."""
    device.clear(1)
    begin = device.mark()
    call()
    end = device.mark()
    device.wait()
    return device.between(begin, end)


def _agree(expected: Any, found: Any) -> bool:
    import torch

    scale = max(1.0, expected.double().abs().max().item())
    return torch.allclose(found.double(), expected.double(), rtol=1e-3, atol=1e-3 * scale)


ALL = "rows and split-reduce"
COLUMNS = {
    "original": ("original",),
    "rewritten": (ALL,),
    "original, 4096": ("original, tiles of 4096",),
    "rewritten, 4096": (f"{ALL}, tiles of 4096",),
    "torch": ("torch",),
    "torch.compile": ("torch.compile",),
}
"""Of the table: the versions of which the best one stands there."""
TOGETHER = ("sum", "max", "min", "mean")
"""Kernels that have one line."""


def table(report: dict[str, Any]) -> str:
    """Shares of the bandwidth of the copy, by shape and kernel."""
    columns = {
        **COLUMNS,
        "best": [v for v in report["results"][0]["us"] if v.startswith(tuple(PASSES))],
    }
    lines = [f"| rows x length | kernel | {' | '.join(columns)} |"]
    lines.append("| --- " * (len(columns) + 2) + "|")
    rows: dict[tuple[str, str], list[dict[str, float]]] = {}
    for row in report["results"]:
        m, n = row["shape"]
        shape = f"{_short(m)} x {_short(n)}"
        name = ", ".join(TOGETHER) if row["kernel"] in TOGETHER else row["kernel"]
        rows.setdefault((shape, name), []).append(row["share_of_copy"])
    for (shape, name), shares in rows.items():
        cells = [_ends(shares, versions) for versions in columns.values()]
        lines.append(f"| {shape} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _short(number: int) -> str:
    return (
        f"1e{len(str(number)) - 1}"
        if number >= 10**6 and set(str(number)[1:]) == {"0"}
        else f"{number}"
    )


def _ends(shares: list[dict[str, float]], versions: Iterable[str]) -> str:
    """From the least to the most of several kernels; of each kernel the best of the versions."""
    best = [max(found) for s in shares if (found := [s[v] for v in versions if v in s])]
    ends = dict.fromkeys(f"{end:.2f}" for end in (min(best), max(best))) if best else []
    return " to ".join(ends)


if __name__ == "__main__":
    main()
