"""Annotated, a name stands for the number itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    z = tl.load(Z + cols, mask=mask, other=0.0).to(tl.float32)
    ZERO: tl.constexpr = 0.0
    y = x * z
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n], z: f32[n]
def run(x: torch.Tensor, z: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(1,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y
