# verify: always
# options: block=32
"""A step that is a parameter, and an index that is divided by it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, step):
    SCALAR_BLOCK: tl.constexpr = 32
    for start in range(1, n, step * SCALAR_BLOCK):
        i = start + step * tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        tl.store(Y + i, tl.load(X + i, mask=mask) + step, mask=mask)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    y = torch.zeros_like(x)
    kernel[(1,)](x, y, x.numel(), 3)
    return y
