# options: block=32
"""A truth value added up, and another one taken away."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    above = 0
    below = 0
    for i in range(n):
        x = tl.load(X + i)
        above += x > 1
        below -= x < -1
    tl.store(Y, above)
    tl.store(Y + 1, below)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
