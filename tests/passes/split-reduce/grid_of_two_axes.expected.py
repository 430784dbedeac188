# options: turns=1
"""A grid of two axes gets a third one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    stride_b,
    stride_m,
    N,
    BLOCK: tl.constexpr,
    partials=None,
    SPLITS: tl.constexpr = 1,
):
    batch, row = tl.program_id(0), tl.program_id(1)
    X += batch * stride_b + row * stride_m
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(2) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    if SPLITS > 1:
        tile = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
        part = tile * SPLITS + split
        tl.store(partials + part, tl.sum(acc))
        return
    tl.store(Y + batch * tl.num_programs(1) + row, tl.sum(acc))


@triton.jit
def kernel_final(partials, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    batch, row = tl.program_id(0), tl.program_id(1)
    tile = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    parts = tile * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts)
    tl.store(Y + batch * tl.num_programs(1) + row, tl.sum(acc))


def reduced(x: torch.Tensor):
    b, m, n = x.shape
    y = torch.empty(b, m, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, b * m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(b * m, splits, dtype=torch.float32, device=x.device)
    kernel[(b, m, splits)](
        x, y, x.stride(0), x.stride(1), n, BLOCK=64, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(b, m)](partials, y, SPLITS=splits)
    return y
