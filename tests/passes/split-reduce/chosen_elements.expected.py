# options: turns=1
"""What comes to a sum under a condition, or a mask, comes to a part of it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    stride,
    N,
    limit,
    BLOCK: tl.constexpr,
    partial_above=None,
    partial_count=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    above = tl.zeros([BLOCK], dtype=tl.float32)
    count = tl.zeros([BLOCK], dtype=tl.int32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        above = tl.where(x > limit, above + x, above)
        if start + BLOCK <= N:
            count += (x > limit).to(tl.int32)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_above + part, tl.sum(above, axis=0))
        tl.store(partial_count + part, tl.sum(count, axis=0))
        return
    tl.store(Y + row, tl.sum(above, axis=0) + tl.sum(count, axis=0))


@triton.jit
def kernel_final(partial_above, partial_count, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    above = tl.load(partial_above + parts)
    count = tl.load(partial_count + parts)
    tl.store(Y + row, tl.sum(above, axis=0) + tl.sum(count, axis=0))


def reduced(x: torch.Tensor, limit: float = 0.5):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partial_above = partial_count = None
    if splits > 1:
        partial_above = torch.empty(m, splits, dtype=torch.float32, device=x.device)
        partial_count = torch.empty(m, splits, dtype=torch.int32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        x.stride(0),
        n,
        limit,
        BLOCK=64,
        partial_above=partial_above,
        partial_count=partial_count,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m,)](partial_above, partial_count, y, SPLITS=splits)
    return y
