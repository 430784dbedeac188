# options: turns=1
"""A dot product of two vectors, by a helper."""

import torch
import triton
import triton.language as tl


@triton.jit
def products(X, Y, cols, n):
    x = tl.load(X + cols, mask=cols < n, other=0.0).to(tl.float32)
    return x * tl.load(Y + cols, mask=cols < n, other=0.0).to(tl.float32)


@triton.jit
def kernel(X, Y, Out, n, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, n, SPLITS * BLOCK):
        acc += products(X, Y, start + tl.arange(0, BLOCK), n)
    if SPLITS > 1:
        part = tl.program_id(0) * SPLITS + split
        tl.store(partials + part, tl.sum(acc, axis=0))
        return
    tl.store(Out, tl.sum(acc, axis=0))


@triton.jit
def kernel_final(partials, Out, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    parts = tl.program_id(0) * SPLITS + tl.arange(0, SPLITS)
    acc = tl.load(partials + parts)
    tl.store(Out, tl.sum(acc, axis=0))


# tritonopt: x: f32[n], y: f32[n]
def dot(x: torch.Tensor, y: torch.Tensor):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(1, dtype=torch.float32, device=x.device)
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
        partials = torch.empty(splits, dtype=torch.float32, device=out.device)
    kernel[(1, splits)](
        x, y, out, x.numel(), BLOCK=64, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(1,)](partials, out, SPLITS=splits)
    return out
