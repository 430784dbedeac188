"""collapse-loops and split-columns on a GPU: short rows in nests, and rows too long for a tile.

    PYTHONPATH=. python benchmarks/column_tiles_speed.py [--seconds 400] [--out FILE.json]
    PYTHONPATH=. python benchmarks/column_tiles_speed.py --dry    # no GPU: only make the versions

Batch norm of `examples/` and a sum over rows that lie side by side, with nests and collapsed, in
tiles of several lengths; softmax, layer norm and its gradient with a row in one tile, and in loops
over columns. All versions are launched in turn on a cold L2 with a copy of as many bytes, and
compared with the first. Above 65536 elements one tile is not compiled: that takes minutes.
Needs torch, triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tritonopt.rewriting.pipeline import rewrite_source

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
"""
GROUPS = """\
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x * x, axis=0)
    tl.store(Y + tl.program_id(0), total)


def launch(x):
    m, n, w = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=min(1024, triton.next_power_of_2(w)))
    return y
"""
SOFTMAX = """\
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(Y + row * stride + cols, y.to(Y.dtype.element_ty), mask=cols < N)
"""
LAYER_NORM = """\
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    d = tl.where(cols < N, x - mean, 0.0)
    var = tl.sum(d * d, axis=0) / N
    y = d / tl.sqrt(var + 1e-5)
    tl.store(Y + row * stride + cols, y.to(Y.dtype.element_ty), mask=cols < N)
"""
ROWS = """

def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    warps = min(max(block // 512, 4), 16)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=block, num_warps=warps)
    return y
"""
_NESTS = (
    "collapse-loops{block=256}",
    "collapse-loops{block=1024}",
    "collapse-loops{block=4096}",
)
_COLUMNS = (
    "split-columns{longest=4096,block=1024}",
    "split-columns{longest=4096,block=4096}",
    "split-columns{longest=8192,block=8192}",
)
IMAGES = [(64, 256, 7), (64, 256, 14), (64, 256, 28), (32, 64, 56), (32, 64, 112), (8, 64, 224)]
"""Images, channels, and rows and columns of each."""
GROUP_SHAPES = [(8192, 64, 9), (8192, 64, 49), (8192, 16, 196), (1024, 16, 784), (1024, 4, 12544)]
LENGTHS = (8192, 16384, 32768, 50257, 65536, 131072, 262144)
ELEMENTS = 2**26
LONGEST_TILE = 65536
RUNS = 15


def versions(name: str, text: str, chosen: tuple[str, ...], then: str = "") -> dict[str, str]:
    """The text as it is, and after each of some passes; `then` is what follows the last of them."""
    made = {"original": text}
    for passes in chosen:
        result = rewrite_source(text, passes)
        if not result.changed:
            raise SystemExit(f"{name}: not rewritten: {[r.message for r in result.remarks]}")
        made[passes] = result.text
    if then:
        result = rewrite_source(made[chosen[1]], then)
        if not result.changed:
            raise SystemExit(f"{name}: not rewritten: {[r.message for r in result.remarks]}")
        made[f"{chosen[1]} {then}"] = result.text
    return made


def all_versions() -> dict[str, dict[str, str]]:
    batch_norm = (EXAMPLES / "batch_norm.py").read_text(encoding="utf-8")
    two = rewrite_source(batch_norm, "fuse-stats").text
    backward = (EXAMPLES / "layer_norm_backward.py").read_text(encoding="utf-8")
    return {
        "batch_norm": versions("batch_norm", batch_norm, _NESTS),
        "batch_norm after fuse-stats": versions("batch_norm", two, _NESTS, "defer-reduction"),
        "groups": versions("groups", HEAD + GROUPS, _NESTS, "defer-reduction"),
        "softmax": versions("softmax", HEAD + SOFTMAX + ROWS, _COLUMNS, "online-softmax"),
        "layer_norm": versions("layer_norm", HEAD + LAYER_NORM + ROWS, _COLUMNS, "fuse-stats"),
        "layer_norm_backward": versions("layer_norm_backward", backward, _COLUMNS),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--seconds", type=float, default=400, help="when to begin no other shape")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    texts = all_versions()
    if not options.dry:
        measure(texts, options.out, time.monotonic() + options.seconds)


def measure(texts: dict[str, dict[str, str]], out: Path | None, until: float) -> None:
    import torch

    from benchmarks.side_by_side import load, machine, write_report

    folder = Path(tempfile.mkdtemp())
    modules = {
        name: {
            version: load(folder / f"{name.replace(' ', '_')}_{place}.py", text)
            for place, (version, text) in enumerate(made.items())
        }
        for name, made in texts.items()
    }
    results: list[dict[str, Any]] = []
    todo = {name: shapes(name) for name in texts}
    # Shape by shape, so that a run that is cut has seen every kernel.
    while todo:
        for name in list(todo):
            case = next(todo[name], None)
            if case is None or time.monotonic() > until:
                del todo[name]
                continue
            shape, given = case
            function = "launch" if name in ("groups", "softmax", "layer_norm") else name.split()[0]
            calls = {
                version: functools.partial(getattr(module, function), *given)
                for version, module in modules[name].items()
                if version != "original" or shape[-1] <= LONGEST_TILE
            }
            results.append({"kernel": name, "shape": shape} | compared(calls, given))
            print(results[-1], flush=True)
            del given, calls
            torch.cuda.empty_cache()
            report = {"benchmark": "column_tiles_speed", **machine(), "results": results}
            write_report(report, out)


def shapes(name: str) -> Iterator[tuple[list[int], tuple[Any, ...]]]:
    """The sizes and the arguments of each call."""
    import torch

    torch.manual_seed(0)
    if name.startswith("batch_norm"):
        for images, channels, side in IMAGES:
            x = torch.randn(images, channels, side, side, device="cuda") * 2 - 5
            weight = torch.randn(channels, device="cuda")
            yield [images, channels, side, side], (x, weight, weight.clone())
    elif name == "groups":
        for group in GROUP_SHAPES:
            yield [*group], (torch.randn(*group, device="cuda"),)
    else:
        for length in LENGTHS:
            rows = ELEMENTS // length
            x = torch.randn(rows, length, device="cuda")
            if name != "layer_norm_backward":
                yield [rows, length], (x,)
                continue
            weight = torch.randn(length, device="cuda")
            mean, rstd = x.mean(dim=1), torch.rsqrt(x.var(dim=1, correction=0) + 1e-5)
            yield [rows, length], (torch.randn_like(x), x, weight, mean, rstd)


def compared(calls: dict[str, Any], given: tuple[Any, ...]) -> dict[str, Any]:
    """All versions and a copy that moves as many bytes, in turn."""
    import torch

    from benchmarks.side_by_side import tensors, timed

    found = {version: tensors(call()) for version, call in calls.items()}
    first = next(iter(found.values()))
    apart = {
        version: max(
            ((a.float() - b.float()).abs().max() / (a.float().abs().max() + 1e-30)).item()
            for a, b in zip(first, result, strict=True)
        )
        for version, result in found.items()
    }
    moved = sum(t.numel() * t.element_size() for t in [*tensors(list(given)), *first])
    del found, first
    source = torch.empty(max(moved // 2, 1), dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    times = timed({**calls, "copy": lambda: target.copy_(source)}, RUNS, least=5, seconds=2.0)
    median = {name: statistics.median(runs) for name, runs in times.items()}
    return {
        "us": {name: round(us, 2) for name, us in median.items()},
        "share_of_copy": {n: round(median["copy"] / us, 3) for n, us in median.items()},
        "apart": apart,
    }


if __name__ == "__main__":
    main()
