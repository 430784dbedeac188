# options: turns=1
"""Comments in the loop, at its end, and behind it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X, Y, stride, N, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1
):
    # Each program has a row.
    row = tl.program_id(0)  # of X and Y
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    # From tile to tile.
    for start in range(split * BLOCK, N, SPLITS * BLOCK):  # BLOCK elements each
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        # What is behind the end of the row adds nothing.
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part, tl.sum(acc, axis=0))
        return
    # The mean.
    tl.store(Y + row, tl.sum(acc, axis=0) / N)  # in fp32
    # Nothing follows.


@triton.jit
def kernel_final(partials, Y, N, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)  # of X and Y
    parts = row * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts)
    # The mean.
    tl.store(Y + row, tl.sum(acc, axis=0) / N)  # in fp32


def launch(x: torch.Tensor):
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
    partials = None
    if splits > 1:
        partials = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x, y, x.stride(0), n, BLOCK=64, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, y, n, SPLITS=splits)
    return y
