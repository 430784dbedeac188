# options: turns=1
"""Two accumulators with operations of their own; numbers, not tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    stride,
    N,
    BLOCK: tl.constexpr,
    partial_top=None,
    partial_low=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    top = -float("inf")
    low = float("inf")
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        top = tl.maximum(top, tl.max(tl.where(cols < N, x, -float("inf")), axis=0))
        low = tl.minimum(low, tl.min(tl.where(cols < N, x, float("inf")), axis=0))
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_top + part, top)
        tl.store(partial_low + part, low)
        return
    tl.store(Y + row, top - low)


@triton.jit
def kernel_final(partial_top, partial_low, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    top = tl.load(partial_top + parts)
    low = tl.load(partial_low + parts)
    top = tl.max(top, axis=0)
    low = tl.min(low, axis=0)
    tl.store(Y + row, top - low)


def reduced(x: torch.Tensor):
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
    partial_top = partial_low = None
    if splits > 1:
        partial_top = torch.empty(m, splits, dtype=torch.float32, device=x.device)
        partial_low = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        x.stride(0),
        n,
        BLOCK=64,
        partial_top=partial_top,
        partial_low=partial_low,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m,)](partial_top, partial_low, y, SPLITS=splits)
    return y
