# options: turns=1
"""A branch may replace a sum before it is reduced, so each program stores the tile of sums."""

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
    partial_acc=None,
    partial_most=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    most = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x
        most = tl.maximum(most, x)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_acc + part * BLOCK + tl.arange(0, BLOCK), acc)
        tl.store(partial_most + part * BLOCK + tl.arange(0, BLOCK), most)
        return
    if row > 0:
        acc = most
    tl.store(Y + row, tl.sum(acc, axis=0) + tl.max(most, axis=0))


@triton.jit
def kernel_final(partial_acc, partial_most, Y, BLOCK: tl.constexpr, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partial_acc + parts[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    most = tl.load(partial_most + parts[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    acc = tl.sum(acc, axis=0)
    most = tl.max(most, axis=0)
    if row > 0:
        acc = most
    tl.store(Y + row, tl.sum(acc, axis=0) + tl.max(most, axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, 16384 // 64, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partial_acc = partial_most = None
    if splits > 1:
        partial_acc = torch.empty(m, splits, 64, dtype=torch.float32, device=x.device)
        partial_most = torch.empty(m, splits, 64, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        x.stride(0),
        n,
        BLOCK=64,
        partial_acc=partial_acc,
        partial_most=partial_most,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m,)](partial_acc, partial_most, y, BLOCK=64, SPLITS=splits)
    return y
