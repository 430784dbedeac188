"""Offsets that wrap around at the end of a row, and a bias for each column."""

import torch
import triton
import triton.language as tl


@triton.jit
def wrapped_kernel(x, bias, out, size, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = offsets % n
    mask = offsets < size
    v = tl.load(x + offsets, mask=mask, other=0.0)
    b = tl.load(bias + cols)
    tl.store(out + offsets, v + b, mask=mask)


# tritonopt: x: f32[m, n], bias: f32[n]
def wrapped(x, bias):
    assert x.is_contiguous()
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 64),)
    wrapped_kernel[grid](x, bias, out, x.numel(), x.shape[1], BLOCK=64)
    return out
