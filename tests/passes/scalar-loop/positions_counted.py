# options: block=32
"""A running count of the iterations, by which is stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    pos = -1
    for i in range(n):
        x = tl.load(X + i)
        pos += 1
        tl.store(Y + pos, x if x > 0 else -i)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    y = torch.zeros_like(x)
    kernel[(1,)](x, y, x.numel())
    return y
