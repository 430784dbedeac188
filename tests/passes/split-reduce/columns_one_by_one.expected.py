# verify: always
# options: turns=1
"""A tile that is not reduced: each column has its own sum."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X, Y, stride, M, N, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1
):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for row in range(split, M, SPLITS):
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    if SPLITS > 1:
        part = tl.program_id(0) * SPLITS + split
        tl.store(partials + part * BLOCK + tl.arange(0, BLOCK), total)
        return
    tl.store(Y + cols, total / M, mask=cols < N)


@triton.jit
def kernel_final(partials, Y, M, N, BLOCK: tl.constexpr, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    parts = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS)
    total = tl.load(partials + parts[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    total = tl.sum(total, axis=0)
    tl.store(Y + cols, total / M, mask=cols < N)


def means_of_columns(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    num_tiles = triton.cdiv(n, 4)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, 16384 // 4, num_programs // max(1, num_tiles), m)
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(num_tiles, splits, 4, dtype=torch.float32, device=x.device)
    kernel[(num_tiles, splits)](
        x, y, x.stride(0), m, n, BLOCK=4, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(num_tiles,)](partials, y, m, n, BLOCK=4, SPLITS=splits)
    return y
