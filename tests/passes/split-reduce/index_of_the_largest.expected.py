# verify: always
# options: turns=1
"""The index of the largest element: of several that are equal the first."""

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
    partial_best=None,
    partial_top=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    top = -float("inf")
    best = 0
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new > top, start + place, best)
        top = tl.maximum(top, new)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partial_best + part, best)
        tl.store(partial_top + part, top)
        return
    tl.store(Y + row, best)


@triton.jit
def kernel_final(partial_best, partial_top, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    best = tl.load(partial_best + parts)
    top = tl.load(partial_top + parts)
    # Of equal elements, the first.
    best = tl.min(tl.where(top == tl.max(top, axis=0), best, 2**31 - 1), axis=0)
    top = tl.max(top, axis=0)
    tl.store(Y + row, best)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partial_best = partial_top = None
    if splits > 1:
        partial_best = torch.empty(m, splits, dtype=torch.int32, device=x.device)
        partial_top = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        x.stride(0),
        n,
        BLOCK=64,
        partial_best=partial_best,
        partial_top=partial_top,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m,)](partial_best, partial_top, y, SPLITS=splits)
    return y
