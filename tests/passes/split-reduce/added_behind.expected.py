# options: turns=1
"""Behind the loop the tile is added to, along an axis that has a name, and then reduced."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N - BLOCK + 1, SPLITS * BLOCK):
        acc += tl.load(X + row * stride + start + lanes).to(tl.float32)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part * BLOCK + tl.arange(0, BLOCK), acc)
        return
    rest = N - N % BLOCK + lanes
    acc += tl.load(X + row * stride + rest, mask=rest < N, other=0.0).to(tl.float32)
    axis: tl.constexpr = 0
    tl.store(Y + row, tl.sum(acc, axis))


@triton.jit
def kernel_final(partials, X, Y, stride, N, BLOCK: tl.constexpr, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    acc = tl.sum(acc, axis=0)
    rest = N - N % BLOCK + lanes
    acc += tl.load(X + row * stride + rest, mask=rest < N, other=0.0).to(tl.float32)
    axis: tl.constexpr = 0
    tl.store(Y + row, tl.sum(acc, axis))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, 16384 // 16, num_programs // max(1, m), triton.cdiv(n - 16 + 1, 16))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(m, splits, 16, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](x, y, x.stride(0), n, BLOCK=16, partials=partials, SPLITS=splits)
    if splits > 1:
        kernel_final[(m,)](partials, x, y, x.stride(0), n, BLOCK=16, SPLITS=splits)
    return y
