# options: block=32
"""A loop over rows around the one over elements."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, m, n):
    for r in range(m):
        acc = 0.0
        for i in range(n):
            x = tl.load(X + r * n + i)
            acc += x
            tl.store(Y + r * n + i, x * 2.0)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, m, n)
    return y
