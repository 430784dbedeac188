# options: block=32
"""A running count of the iterations, by which is stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    pos = -1
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + i, mask=mask)
        pos_added = tl.where(mask, 1, 0)
        pos_tile = pos + tl.cumsum(pos_added, axis=0)
        pos += tl.sum(pos_added, axis=0)
        tl.store(Y + pos_tile, tl.where((x > 0), x, -i), mask=mask)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    y = torch.zeros_like(x)
    kernel[(1,)](x, y, x.numel())
    return y
