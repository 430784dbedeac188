# options: programs=3
"""A tile adds one number: allowed, and slower as a rule."""

import torch
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x, axis=0))


def total(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros(1, device=x.device, dtype=torch.float32)
    total_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out
