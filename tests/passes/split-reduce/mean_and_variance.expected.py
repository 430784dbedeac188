# options: turns=1
"""Sums and sums of squares, as the kernel has them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Mean,
    Var,
    stride,
    N,
    BLOCK: tl.constexpr,
    partial_total=None,
    partial_squares=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    first = tl.load(X + row * stride).to(tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - first, 0.0)
        total += d
        squares += d * d
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_total + part, tl.sum(total, axis=0))
        tl.store(partial_squares + part, tl.sum(squares, axis=0))
        return
    mean = tl.sum(total, axis=0) / N
    tl.store(Mean + row, mean + first)
    tl.store(Var + row, tl.sum(squares, axis=0) / N - mean * mean)


@triton.jit
def kernel_final(
    partial_total, partial_squares, X, Mean, Var, stride, N, SPLITS: tl.constexpr
):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    first = tl.load(X + row * stride).to(tl.float32)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    total = tl.load(partial_total + parts)
    squares = tl.load(partial_squares + parts)
    mean = tl.sum(total, axis=0) / N
    tl.store(Mean + row, mean + first)
    tl.store(Var + row, tl.sum(squares, axis=0) / N - mean * mean)


def statistics(x: torch.Tensor):
    m, n = x.shape
    mean = torch.empty(m, dtype=torch.float32, device=x.device)
    var = torch.empty_like(mean)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partial_total = partial_squares = None
    if splits > 1:
        partial_total = torch.empty(m, splits, dtype=torch.float32, device=x.device)
        partial_squares = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x,
        mean,
        var,
        x.stride(0),
        n,
        BLOCK=64,
        partial_total=partial_total,
        partial_squares=partial_squares,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m,)](
            partial_total, partial_squares, x, mean, var, x.stride(0), n, SPLITS=splits
        )
    return mean, var
