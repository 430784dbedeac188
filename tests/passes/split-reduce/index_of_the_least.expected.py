# options: turns=1
"""The least element and where it is, chosen by an `if`."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    I,
    stride,
    N,
    BLOCK: tl.constexpr,
    partial_low=None,
    partial_best=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    low = float("inf")
    best = -1
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=float("inf")).to(tl.float32)
        new = tl.min(x, axis=0)
        place = tl.argmin(x, axis=0)
        if new < low:
            low = new
            best = place + start
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_low + part, low)
        tl.store(partial_best + part, best)
        return
    tl.store(Y + row, low)
    tl.store(I + row, best)


@triton.jit
def kernel_final(partial_low, partial_best, Y, I, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    low = tl.load(partial_low + parts)
    best = tl.load(partial_best + parts)
    # Of equal elements, the first.
    best = tl.min(tl.where(low == tl.min(low, axis=0), best, 2**31 - 1), axis=0)
    low = tl.min(low, axis=0)
    tl.store(Y + row, low)
    tl.store(I + row, best)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    i = torch.empty(m, dtype=torch.int32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partial_low = partial_best = None
    if splits > 1:
        partial_low = torch.empty(m, splits, dtype=torch.float32, device=x.device)
        partial_best = torch.empty(m, splits, dtype=torch.int32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        i,
        x.stride(0),
        n,
        BLOCK=64,
        partial_low=partial_low,
        partial_best=partial_best,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m,)](partial_low, partial_best, y, i, SPLITS=splits)
    return y, i
