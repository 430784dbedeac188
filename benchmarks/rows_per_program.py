"""How many short rows a program should take: each number timed against one row of one axis.

    PYTHONPATH=. python benchmarks/rows_per_program.py [--budget 300] [--out FILE.json]
    PYTHONPATH=. python benchmarks/rows_per_program.py --table FILE.json

Five row kernels, each written twice: one row to a program in a tile `[BLOCK]`, and ROWS rows in a
tile `[ROWS, BLOCK]`, ROWS from 1 on. The launchers' two habits of `num_warps` are both timed: 4
warps (8 from 2048, 16 from 8192 elements), and one warp for each 256 elements. Each cell is a
kernel, a type, a number of rows and a length; its versions are launched in turn after a flush of
the L2 cache. The record has medians in microseconds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

LENGTHS = (16, 32, 64, 100, 128, 256, 500, 512, 768, 1024, 2048, 4096)
COUNTS = (1, 16, 128, 512, 1024, 2048, 4096, 16384, 131072)
MOST = 8192
"""Elements of a program's tile."""


@triton.jit
def softmax_1(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * n + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def softmax_2(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (row < m) & (cols < n)
    v = tl.load(x + row * n + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=1, keep_dims=True))
    tl.store(y + row * n + cols, e / tl.sum(e, axis=1, keep_dims=True), mask=mask)


@triton.jit
def layer_norm_1(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(mask, v - mean, 0.0)
    r = tl.rsqrt(tl.sum(d * d, axis=0) / n + 1e-5)
    scale = tl.load(w + cols, mask=mask, other=0.0)
    tl.store(y + row * n + cols, d * r * scale, mask=mask)


@triton.jit
def layer_norm_2(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (row < m) & (cols < n)
    v = tl.load(x + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=1, keep_dims=True) / n
    d = tl.where(mask, v - mean, 0.0)
    r = tl.rsqrt(tl.sum(d * d, axis=1, keep_dims=True) / n + 1e-5)
    scale = tl.load(w + cols, mask=cols < n, other=0.0)
    tl.store(y + row * n + cols, d * r * scale, mask=mask)


@triton.jit
def total_1(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(y + row, tl.sum(v, axis=0))


@triton.jit
def total_2(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    v = tl.load(x + row * n + cols, mask=(row < m) & (cols < n), other=0.0).to(tl.float32)
    tl.store(y + row, tl.sum(v, axis=1, keep_dims=True), mask=row < m)


@triton.jit
def softmax_backward_1(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    p = tl.load(x + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(y + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * n + cols, p * (g - tl.sum(p * g, axis=0)), mask=mask)


@triton.jit
def softmax_backward_2(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (row < m) & (cols < n)
    p = tl.load(x + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(y + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * n + cols, p * (g - tl.sum(p * g, axis=1, keep_dims=True)), mask=mask)


@triton.jit
def silu_1(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * n + cols, v * tl.sigmoid(v), mask=mask)


@triton.jit
def silu_2(x, y, w, m, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (row < m) & (cols < n)
    v = tl.load(x + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * n + cols, v * tl.sigmoid(v), mask=mask)


KERNELS = {
    "softmax": (softmax_1, softmax_2),
    "layer norm": (layer_norm_1, layer_norm_2),
    "sum": (total_1, total_2),
    "softmax backward": (softmax_backward_1, softmax_backward_2),
    "silu": (silu_1, silu_2),
}
TYPES = {"fp32": torch.float32, "fp16": torch.float16}


def warps(habit: str, block: int) -> int:
    """What a launcher of that habit passes for a tile of one row."""
    if habit == "scaled":
        return min(max(block // 256, 1), 8)
    return 16 if block >= 8192 else 8 if block >= 2048 else 4


def rows_tried(block: int) -> Iterator[int]:
    rows = 1
    while rows * block <= MOST and rows <= 256:
        yield rows
        rows *= 2


def versions(
    name: str, type_name: str, m: int, n: int, habit: str, tensors: tuple[Any, Any, Any]
) -> dict[str, Callable[[], Any]]:
    """The launches of one cell: "original", and each number of rows."""
    one, several = KERNELS[name]
    x, y, w = tensors
    block = triton.next_power_of_2(n)
    count = warps(habit, block)
    made: dict[str, Callable[[], Any]] = {
        "original": lambda: one[(m,)](x, y, w, m, n, BLOCK=block, ROWS=1, num_warps=count)
    }
    for rows in rows_tried(block):

        def launch(rows: int = rows) -> Any:
            grid = (triton.cdiv(m, rows),)
            return several[grid](x, y, w, m, n, BLOCK=block, ROWS=rows, num_warps=count)

        made[str(rows)] = launch
    return made


def cells() -> Iterator[tuple[str, str, int, int, str]]:
    for m in COUNTS:
        for n in LENGTHS:
            for name in KERNELS:
                for type_name in TYPES:
                    for habit in ("four", "scaled"):
                        if m * n * 4 <= 2**30 and (habit == "four" or type_name == "fp16"):
                            yield name, type_name, m, n, habit


def allocated(type_name: str, m: int, n: int) -> tuple[Any, Any, Any]:
    generator = torch.Generator("cuda").manual_seed(0)
    x = torch.randn((m, n), device="cuda", generator=generator).to(TYPES[type_name])
    w = torch.randn((n,), device="cuda", generator=generator)
    return x, torch.zeros_like(x), w


def compiled(of: tuple[str, str, int]) -> None:
    """Fill Triton's cache for one kernel, type and length."""
    name, type_name, n = of
    for habit in ("four", "scaled"):
        for m in (17, 32, 1):  # as numbers are specialized: none, a multiple of 16, one
            tensors = allocated(type_name, m, n)
            for launch in versions(name, type_name, m, n, habit, tensors).values():
                launch()
    torch.cuda.synchronize()


def measured(budget: float) -> dict[str, Any]:
    begin = time.monotonic()
    wanted = [(name, kind, n) for n in LENGTHS for name in KERNELS for kind in TYPES]
    context = torch.multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(16, os.cpu_count() or 1), mp_context=context) as pool:
        list(pool.map(compiled, wanted))
    print(f"compiled in {time.monotonic() - begin:.0f} s", flush=True)
    flushed = torch.empty(2**28, dtype=torch.int8, device="cuda")
    order = random.Random(0)  # neighbors share what the clock and the caches were left at
    rows = []
    wrong = 0
    for name, type_name, m, n, habit in cells():
        if time.monotonic() - begin > budget:
            break
        tensors = allocated(type_name, m, n)
        made = versions(name, type_name, m, n, habit, tensors)
        times: dict[str, list[float]] = {version: [] for version in made}
        for launch in made.values():
            launch()
        if name != "softmax backward":
            made["original"]()
            expected = tensors[1].clone()
            for version, launch in made.items():
                launch()
                if not torch.allclose(tensors[1].float(), expected.float(), atol=2e-3, rtol=1e-3):
                    wrong += 1
                    print("differs:", name, type_name, m, n, habit, version, flush=True)
        rounds = []
        for _ in range(15):
            events = {}
            for version, launch in order.sample(list(made.items()), len(made)):
                flushed.zero_()
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                start.record()
                launch()
                end.record()
                events[version] = (start, end)
            rounds.append(events)
        torch.cuda.synchronize()
        for events in rounds:
            for version, (start, end) in events.items():
                times[version].append(start.elapsed_time(end) * 1000)
        medians = {v: round(statistics.median(t), 3) for v, t in times.items()}
        rows.append([name, type_name, m, n, habit, medians])
    device = torch.cuda.get_device_properties(0)
    return {
        "benchmark": "rows_per_program",
        "gpu": device.name,
        "torch": torch.__version__,
        "triton": triton.__version__,
        "seconds": round(time.monotonic() - begin),
        "wrong": wrong,
        "cells": rows,
    }


POLICIES: dict[str, Callable[[int, int], int]] = {
    "1": lambda m, b: 1,
    "4": lambda m, b: 4,
    "8": lambda m, b: 8,
    "512 // BLOCK": lambda m, b: max(512 // b, 1),
    "1024 // BLOCK": lambda m, b: max(1024 // b, 1),
    "2048 // BLOCK": lambda m, b: max(2048 // b, 1),
    "4096 // BLOCK": lambda m, b: max(4096 // b, 1),
    "2048 // BLOCK, 1024 programs stay": lambda m, b: max(
        1, min(2048 // b, triton.next_power_of_2(m // 1024 + 1) // 2)
    ),
}


def table(record: dict[str, Any]) -> str:
    lines = [
        "| rows of a program | tile | num_warps | cells | mean | worst | below 0.97 | above 1.05 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for policy, rows_of in POLICIES.items():
        for most, least in ((128, 0), (256, 128), (512, 256), (1024, 512), (4096, 1024)):
            for habit in ("four", "scaled"):
                ratios = []
                for _name, _type, m, n, of, times in record["cells"]:
                    block = triton.next_power_of_2(n)
                    rows = str(min(rows_of(m, block), 256))
                    if of == habit and least < block <= most and rows in times:
                        ratios.append(times["original"] / times[rows])
                if ratios:
                    mean = math.exp(statistics.fmean(map(math.log, ratios)))
                    low = sum(r < 0.97 for r in ratios)
                    high = sum(r > 1.05 for r in ratios)
                    lines.append(
                        f"| {policy} | {least + 1} to {most} | {habit} | {len(ratios)} "
                        f"| {mean:.3f} | {min(ratios):.2f} | {low} | {high} |"
                    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, default=300, help="seconds for all (300)")
    parser.add_argument("--out", type=Path, default=Path("rows_per_program.json"))
    parser.add_argument("--table", type=Path, help="print the table of a record, and run nothing")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.table.read_text(encoding="utf-8"))))
        return
    record = measured(options.budget)
    options.out.write_text(json.dumps(record), encoding="utf-8")
    print(table(record))


if __name__ == "__main__":
    main()
