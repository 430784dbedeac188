# options: turns=1
"""The grid is a function, and a number that the launch leaves out."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X, Y, stride, M, N, BLOCK: tl.constexpr = 64, partials=None, SPLITS: tl.constexpr = 1
):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in tl.range(split * BLOCK, N, SPLITS * BLOCK, num_stages=2):
        cols = start + tl.arange(0, BLOCK)
        acc = acc + tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    if SPLITS > 1:
        part = tl.program_id(0) * SPLITS + split
        tl.store(partials + part, tl.sum(acc, 0))
        return
    tl.store(Y + row, tl.sum(acc, 0))


@triton.jit
def kernel_final(partials, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0).to(tl.int64)
    parts = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts)
    tl.store(Y + row, tl.sum(acc, 0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    grid = lambda META: (m,)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x, y, x.stride(0), m, n, num_warps=4, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, y, SPLITS=splits)
    return y
