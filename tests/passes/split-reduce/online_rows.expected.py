# options: turns=2
"""A softmax in two sweeps, where rows of nothing but -inf are guarded: it may begin with -inf."""

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
    partial_total=None,
    partial_top=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    top = -float("inf")
    total = 0.0
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(top - shift) + tl.sum(tl.exp(x - shift), axis=0)
        top = new
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_total + part, total)
        tl.store(partial_top + part, top)
        return
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        tl.store(Y + row * stride + cols, tl.exp(x - top) / total, mask=cols < N)


@triton.jit
def kernel_final(
    partial_total, partial_top, X, Y, stride, N, BLOCK: tl.constexpr, SPLITS: tl.constexpr
):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    total = tl.load(partial_total + parts)
    top = tl.load(partial_top + parts)
    shift_2 = tl.max(top, axis=0)
    # Where all is -inf there is nothing to subtract: -inf - -inf is NaN.
    shift_2 = tl.where(shift_2 == -float("inf"), 0.0, shift_2)
    total = tl.sum(total * tl.exp(top - shift_2), axis=0)
    top = tl.max(top, axis=0)
    split = tl.program_id(1)
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        tl.store(Y + row * stride + cols, tl.exp(x - top) / total, mask=cols < N)


def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64) // 2)
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partial_total = partial_top = None
    if splits > 1:
        partial_total = torch.empty(m, splits, dtype=torch.float32, device=x.device)
        partial_top = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        x.stride(0),
        n,
        BLOCK=64,
        partial_total=partial_total,
        partial_top=partial_top,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m, splits)](
            partial_total, partial_top, x, y, x.stride(0), n, BLOCK=64, SPLITS=splits
        )
    return y
