# options: turns=1
"""A parameter that has a default is passed by its place, by its name, or not at all."""

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
    B=None,
    scale=1.0,
    HAS: tl.constexpr = False,
    partials=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part, tl.sum(acc, axis=0))
        return
    found = tl.sum(acc, axis=0) * scale
    if HAS:
        found += tl.load(B + row)
    tl.store(Y + row, found)


@triton.jit
def kernel_final(
    partials, Y, SPLITS: tl.constexpr, B=None, scale=1.0, HAS: tl.constexpr = False
):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts)
    found = tl.sum(acc, axis=0) * scale
    if HAS:
        found += tl.load(B + row)
    tl.store(Y + row, found)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    z = torch.empty(m, dtype=torch.float32, device=x.device)
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
    kernel[(m, splits)](x, y, x.stride(0), n, 64, partials=partials, SPLITS=splits)
    if splits > 1:
        kernel_final[(m,)](partials, y, SPLITS=splits)
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
        x, z, x.stride(0), n, 64, y, HAS=True, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, z, B=y, HAS=True, SPLITS=splits)
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
        x, y, x.stride(0), n, 64, z, 2.0, True, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, y, B=z, scale=2.0, HAS=True, SPLITS=splits)
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
        x, z, x.stride(0), n, BLOCK=64, scale=0.5, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, z, scale=0.5, SPLITS=splits)
    return y, z
