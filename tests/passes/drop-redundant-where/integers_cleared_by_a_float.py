# expect: missed safety
"""Integers, cleared by a float as by an integer, would become fp32 here and stay integers without."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    z = tl.load(Z + cols, mask=mask, other=0.0)
    y = tl.where(mask, x * z, 0.0)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: i32[n], z: i32[n]
def run(x: torch.Tensor, z: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(1,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y
