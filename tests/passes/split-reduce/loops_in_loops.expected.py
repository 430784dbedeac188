# options: turns=1
"""A nest of loops: the turns of the outer one are divided."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    stride_n,
    stride_c,
    N,
    HW,
    eps,
    BLOCK: tl.constexpr,
    partials=None,
    SPLITS: tl.constexpr = 1,
):
    c = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for n in range(split, N, SPLITS):
        for start in range(0, HW, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            place = X + n * stride_n + c * stride_c + cols
            total += tl.load(place, mask=cols < HW, other=0.0).to(tl.float32)
    if SPLITS > 1:
        part = c * SPLITS + split
        tl.store(partials + part, tl.sum(total, axis=0))
        return
    tl.store(Y + c, tl.sum(total, axis=0) / (N * HW))


@triton.jit
def kernel_final(partials, Y, N, HW, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    c = tl.program_id(0)
    parts = c * SPLITS + tl.arange(0, SPLITS)
    total = tl.load(partials + parts)
    tl.store(Y + c, tl.sum(total, axis=0) / (N * HW))


def means_of_channels(x: torch.Tensor):
    x = x.contiguous()
    n, c, hw = x.shape
    y = torch.empty(c, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, c), n)
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(c, splits, dtype=torch.float32, device=x.device)
    kernel[(c, splits)](
        x,
        y,
        x.stride(0),
        x.stride(1),
        n,
        hw,
        0.0,
        BLOCK=32,
        partials=partials,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(c,)](partials, y, n, hw, SPLITS=splits)
    return y
