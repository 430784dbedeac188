# options: programs=2
"""Both parameters are given parts of one tensor that have no element in common."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n)
    tl.store(Y + offsets, x, mask=offsets < n)


# tritonopt: x: f32[2 * n]
def repeat(x: torch.Tensor):
    n = x.numel() // 2
    copy_kernel[(triton.cdiv(n, 16),)](x[:n], x[n:], n, BLOCK=16)
    return x
