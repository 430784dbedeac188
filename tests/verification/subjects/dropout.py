"""Random numbers from a seed: which elements stay is part of the result."""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    v = tl.load(x + offsets, mask=mask, other=0.0)
    keep = tl.rand(seed, offsets) > p
    tl.store(out + offsets, tl.where(keep, v / (1 - p), 0.0), mask=mask)


# tritonopt: x: f32[n], p: 0.25|0.5, seed: int in 0..99
def dropout(x, p, seed):
    out = torch.empty_like(x)
    n = x.numel()
    dropout_kernel[(triton.cdiv(n, 64),)](x, out, n, p, seed, BLOCK=64)
    return out
