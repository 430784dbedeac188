# options: turns=1
"""A program has several rows already: each is divided."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    stride,
    M,
    N,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    partials=None,
    SPLITS: tl.constexpr = 1,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        x = tl.load(X + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
        acc += x.to(tl.float32)
    if SPLITS > 1:
        part = tl.program_id(0) * SPLITS + split
        tl.store(partials + part * ROWS + tl.arange(0, ROWS), tl.sum(acc, axis=1))
        return
    tl.store(Y + rows, tl.sum(acc, axis=1), mask=rows < M)


@triton.jit
def kernel_final(partials, Y, M, ROWS: tl.constexpr, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    parts = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts[None, :] * ROWS + tl.arange(0, ROWS)[:, None])
    tl.store(Y + rows, tl.sum(acc, axis=1), mask=rows < M)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    num_tiles = triton.cdiv(m, 4)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(
        4096, 16384 // 4, num_programs // max(1, num_tiles), triton.cdiv(n, 32)
    )
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(
            num_tiles, splits, 4, dtype=torch.float32, device=x.device
        )
    kernel[(num_tiles, splits)](
        x, y, x.stride(0), m, n, ROWS=4, BLOCK=32, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(num_tiles,)](partials, y, m, ROWS=4, SPLITS=splits)
    return y
