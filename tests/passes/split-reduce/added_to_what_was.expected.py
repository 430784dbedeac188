# options: turns=1
"""What is added to is read before the loop: the second kernel reads it, once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X, Y, stride, N, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1
):
    row = tl.program_id(0)
    before = tl.load(Y + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part, tl.sum(acc, axis=0))
        return
    tl.store(Y + row, before + tl.sum(acc, axis=0))


@triton.jit
def kernel_final(partials, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    before = tl.load(Y + row)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts)
    tl.store(Y + row, before + tl.sum(acc, axis=0))


def add_sums(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
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
        partials = torch.empty(m, splits, dtype=torch.float32, device=y.device)
    kernel[(m, splits)](
        x, y, x.stride(0), n, BLOCK=64, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, y, SPLITS=splits)
    return y
