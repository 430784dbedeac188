# verify: always
# options: turns=1
"""Sums of columns, as of the gradient of a weight: a tile of two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    DY,
    DW,
    stride,
    M,
    N,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    partials=None,
    SPLITS: tl.constexpr = 1,
):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dw = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * ROWS, M, SPLITS * ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        dw += tl.load(DY + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
    if SPLITS > 1:
        part = tl.program_id(0) * SPLITS + split
        tl.store(partials + part * BLOCK + tl.arange(0, BLOCK), tl.sum(dw, axis=0))
        return
    tl.store(DW + cols, tl.sum(dw, axis=0), mask=cols < N)


@triton.jit
def kernel_final(partials, DW, N, BLOCK: tl.constexpr, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    parts = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS)
    dw = tl.load(partials + parts[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    tl.store(DW + cols, tl.sum(dw, axis=0), mask=cols < N)


def weight_gradient(dy: torch.Tensor):
    dy = dy.float()
    m, n = dy.shape
    dw = torch.empty(n, dtype=torch.float32, device=dy.device)
    num_tiles = triton.cdiv(n, 4)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, 16384 // 4, num_programs // max(1, num_tiles), triton.cdiv(m, 4))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(
            num_tiles, splits, 4, dtype=torch.float32, device=dy.device
        )
    kernel[(num_tiles, splits)](
        dy, dw, dy.stride(0), m, n, ROWS=4, BLOCK=4, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(num_tiles,)](partials, dw, n, BLOCK=4, SPLITS=splits)
    return dw
