# options: block=32
"""A truth value added up, and another one taken away."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    above_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    below_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + i, mask=mask)
        above_tile += mask & (x > 1)
        below_tile -= mask & (x < -1)
    above = tl.sum(above_tile, axis=0)
    below = tl.sum(below_tile, axis=0)
    tl.store(Y, above)
    tl.store(Y + 1, below)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
