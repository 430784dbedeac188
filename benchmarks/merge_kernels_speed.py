"""merge-kernels on a GPU: two kernels against one with atomics.

    PYTHONPATH=. python benchmarks/merge_kernels_speed.py [--seconds 200] [--out FILE.json]
    PYTHONPATH=. python benchmarks/merge_kernels_speed.py --dry    # no GPU: only the versions

Layer norm backward with the gradients of the weights in two kernels, sums of parts of rows, and a
minimum of a whole tensor, as they are and merged, are launched in turn on a cold L2. A third
version has the atomics in the order that is Triton's default, and not `relaxed`. Needs torch,
triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.pipeline import rewrite_source

HEAD = """\
import torch
import triton
import triton.language as tl
"""
COLUMNS = """

@triton.jit
def sums_of_columns(P, Q, DW, DB, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    dw = tl.zeros([ROWS, COLS], dtype=tl.float32)
    db = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        dw += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
        db += tl.load(Q + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(DW + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(DB + cols, tl.sum(db, axis=0), mask=cols < N)


def backward(x, dy, w, mean, rstd):
    m, n = x.shape
    block = triton.next_power_of_2(n)
    programs = {programs}
    dx = torch.empty_like(x)
    p = torch.empty((programs, n), dtype=torch.float32, device=x.device)
    q = torch.empty((programs, n), dtype=torch.float32, device=x.device)
    dw = torch.empty(n, dtype=torch.float32, device=x.device)
    db = torch.empty(n, dtype=torch.float32, device=x.device)
    gradients[(programs,)](
        x, dy, w, mean, rstd, dx, p, q, m, n, BLOCK=block, num_warps=min(max(block // 256, 1), 8)
    )
    sums_of_columns[(triton.cdiv(n, 64),)](p, q, dw, db, programs, n, ROWS=32, COLS=64)
    return dx, dw, db
"""
GRADIENTS = """

@triton.jit
def gradients(X, DY, W, Mean, Rstd, DX, P, Q, M, N, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
"""
ROW = """\
x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
dy = tl.load(DY + row * N + cols, mask=mask, other=0.0).to(tl.float32)
mean = tl.load(Mean + row)
rstd = tl.load(Rstd + row)
x_hat = tl.where(mask, (x - mean) * rstd, 0.0)
wdy = w * dy
c1 = tl.sum(x_hat * wdy, axis=0) / N
c2 = tl.sum(wdy, axis=0) / N
tl.store(DX + row * N + cols, (wdy - (x_hat * c1 + c2)) * rstd, mask=mask)
"""
STORED = """\
    tl.store(P + program * N + cols, {dw}, mask=mask)
    tl.store(Q + program * N + cols, {db}, mask=mask)
"""


def _indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


A_ROW = (
    HEAD
    + GRADIENTS
    + "    row = program\n"
    + _indented(ROW, 4)
    + STORED.format(dw="dy * x_hat", db="dy")
    + COLUMNS.replace("{programs}", "m")
)
MANY_ROWS = (
    HEAD
    + GRADIENTS
    + "    dw = tl.zeros([BLOCK], dtype=tl.float32)\n"
    + "    db = tl.zeros([BLOCK], dtype=tl.float32)\n"
    + "    for row in range(program, M, tl.num_programs(0)):\n"
    + _indented(ROW + "dw += dy * x_hat\ndb += dy\n", 8)
    + STORED.format(dw="dw", db="db")
    + COLUMNS.replace("{programs}", "min(m, 264)")
)
PARTS = (
    HEAD
    + """

@triton.jit
def parts_of_rows(X, P, N, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(part * BLOCK, N, PARTS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(P + row * PARTS + part, tl.sum(acc, axis=0))


@triton.jit
def sums_of_parts(P, Y, PARTS: tl.constexpr):
    row = tl.program_id(0)
    found = tl.load(P + row * PARTS + tl.arange(0, PARTS))
    tl.store(Y + row, tl.sum(found, axis=0))


def sums(x, parts):
    m, n = x.shape
    p = torch.empty((m, parts), dtype=torch.float32, device=x.device)
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    parts_of_rows[(m, parts)](x, p, n, PARTS=parts, BLOCK=1024)
    sums_of_parts[(m,)](p, y, PARTS=parts)
    return y
"""
)
EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "references" / "least_magnitude.py"
BACKWARD = [(4096, 256), (4096, 1024), (4096, 4096), (32768, 1024), (65536, 256), (1024, 16384)]
PARTED = [(1, 2**28, 1024), (16, 2**22, 64), (16, 2**22, 256), (256, 2**16, 8), (4096, 8192, 2)]
WHOLE = [2**14, 2**20, 2**24, 2**28]
RUNS = 25


def versions(name: str, text: str) -> dict[str, str]:
    merged = rewritten(name, text, "merge-kernels")
    in_order = merged.replace(', sem="relaxed"', "")
    return {"original": text, "in order": in_order, "rewritten": merged}


def rewritten(name: str, text: str, passes: str) -> str:
    result = rewrite_source(text, passes, safety=list(Safety))
    if not result.changed:
        raise SystemExit(f"{name}: not rewritten: {[r.message for r in result.remarks]}")
    return result.text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--seconds", type=float, default=200, help="when to begin no other call")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    texts = {
        "layer norm backward, a row each": versions("a row each", A_ROW),
        "layer norm backward, many rows each": versions("many rows each", MANY_ROWS),
        "sums of parts of rows": versions("parts of rows", PARTS),
        "least magnitude": versions("least magnitude", EXAMPLE.read_text(encoding="utf-8")),
    }
    if not options.dry:
        measure(texts, options.out, time.monotonic() + options.seconds)


def measure(texts: dict[str, dict[str, str]], out: Path | None, until: float) -> None:
    from benchmarks.side_by_side import load, machine, write_report

    folder = Path(tempfile.mkdtemp())
    results: list[dict[str, Any]] = []
    for number, (name, made) in enumerate(texts.items()):
        modules = {
            version: load(folder / f"merged_{number}_{place}.py", text)
            for place, (version, text) in enumerate(made.items())
        }
        for function, shape, given in arguments(name):
            if time.monotonic() > until:
                print(f"no time left for {name}: {shape}")
                continue
            calls = {
                version: functools.partial(getattr(module, function), *given)
                for version, module in modules.items()
            }
            results.append({"kernel": name, "shape": shape} | compared(calls, given))
            print(results[-1], flush=True)
    write_report({"benchmark": "merge_kernels_speed", **machine(), "results": results}, out)


def arguments(name: str) -> Any:
    """The function, the sizes and the arguments of each call."""
    import torch

    torch.manual_seed(0)
    if name.startswith("layer norm"):
        for m, n in BACKWARD:
            x, dy = (torch.randn(m, n, device="cuda") for _ in range(2))
            w = torch.randn(n, device="cuda")
            mean, rstd = x.mean(dim=1), torch.rsqrt(x.var(dim=1, correction=0) + 1e-5)
            yield "backward", [m, n], (x, dy, w, mean, rstd)
    elif name.startswith("sums"):
        for m, n, parts in PARTED:
            yield "sums", [m, n, parts], (torch.randn(m, n, device="cuda"), parts)
    else:
        for n in WHOLE:
            yield "least_magnitude", [n], (torch.randn(n, device="cuda") + 1,)


def compared(calls: dict[str, Any], given: tuple[Any, ...]) -> dict[str, Any]:
    """All versions and a copy that moves as many bytes, in turn; how far apart the results are."""
    import torch

    from benchmarks.side_by_side import ratios, tensors, timed

    found = {version: tensors(call()) for version, call in calls.items()}
    before = found["original"]
    apart = {
        version: max(
            float((a - b).abs().max()) / (float(a.abs().max()) or 1.0)
            for a, b in zip(before, mine, strict=True)
        )
        for version, mine in found.items()
    }
    moved = sum(t.numel() * t.element_size() for t in (*tensors(given), *before))
    source = torch.empty(moved // 2, dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    times = timed({**calls, "copy": lambda: target.copy_(source)}, RUNS)
    median = {version: statistics.median(runs) for version, runs in times.items()}
    others = {
        version.replace(" ", "_"): ratios(times["original"], times[version])
        for version in calls
        if version not in ("original", "rewritten")
    }
    return {
        "apart": apart,
        "us": {version: round(value, 2) for version, value in median.items()},
        "share_of_copy": {v: round(median["copy"] / median[v], 3) for v in calls},
        **ratios(times["original"], times["rewritten"]),
        **others,
    }


if __name__ == "__main__":
    main()
