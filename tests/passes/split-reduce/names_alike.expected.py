# options: turns=1
"""Accumulators whose names differ in nothing but capitals; a loop that begins anywhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    stride,
    N,
    skip,
    BLOCK: tl.constexpr,
    partial_s=None,
    partial_S=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    s = tl.zeros([BLOCK], dtype=tl.float32)
    S = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(skip * 2 + 1 + split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        s += x
        S += x * x
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_s + part, tl.sum(s, axis=0))
        tl.store(partial_S + part, tl.sum(S, axis=0))
        return
    tl.store(Y + 2 * row, tl.sum(s, axis=0))
    tl.store(Y + 2 * row + 1, tl.sum(S, axis=0))


@triton.jit
def kernel_final(partial_s, partial_S, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    s = tl.load(partial_s + parts)
    S = tl.load(partial_S + parts)
    tl.store(Y + 2 * row, tl.sum(s, axis=0))
    tl.store(Y + 2 * row + 1, tl.sum(S, axis=0))


# tritonopt: x: f32[m, n], skip: int in 0..1
def reduced(x: torch.Tensor, skip: int):
    m, n = x.shape
    splits = torch.empty(m, 2, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits_2 = min(4096, num_programs // max(1, m), triton.cdiv(n - (skip * 2 + 1), 32))
    splits_2 = max(1, triton.next_power_of_2(splits_2 + 1) // 2)
    partial_s = partial_S = None
    if splits_2 > 1:
        partial_s = torch.empty(m, splits_2, dtype=torch.float32, device=x.device)
        partial_S = torch.empty(m, splits_2, dtype=torch.float32, device=x.device)
    kernel[(m, splits_2)](
        x,
        splits,
        x.stride(0),
        n,
        skip,
        BLOCK=32,
        partial_s=partial_s,
        partial_S=partial_S,
        SPLITS=splits_2,
    )
    if splits_2 > 1:
        kernel_final[(m,)](partial_s, partial_S, splits, SPLITS=splits_2)
    return splits
