# verify: always
# options: block=32
"""A step that is a parameter, and an index that is divided by it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, step):
    for i in range(1, n, step):
        tl.store(Y + i, tl.load(X + i) + step)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    y = torch.zeros_like(x)
    kernel[(1,)](x, y, x.numel(), 3)
    return y
