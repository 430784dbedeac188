# verify: always
# options: turns=1
"""The largest element of a tensor: exact, and one program before."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1):
    top = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for i in range(split, tl.cdiv(N, BLOCK), SPLITS):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.maximum(top, x)
    if SPLITS > 1:
        part = tl.program_id(0) * SPLITS + split
        tl.store(partials + part, tl.max(top, axis=0))
        return
    tl.store(Y, tl.max(top, axis=0))


@triton.jit
def kernel_final(partials, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    parts = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS)
    top = tl.load(partials + parts)
    tl.store(Y, tl.max(top, axis=0))


def largest(x: torch.Tensor):
    x = x.float().contiguous()
    y = torch.empty((), dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs, triton.cdiv(x.numel(), 64))
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(splits, dtype=torch.float32, device=x.device)
    kernel[(1, splits)](x, y, x.numel(), BLOCK=64, partials=partials, SPLITS=splits)
    if splits > 1:
        kernel_final[(1,)](partials, y, SPLITS=splits)
    return y
