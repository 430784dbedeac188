# options: block=32
"""A name that is bound again in some iterations."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    for i in range(n):
        x = tl.load(X + row * n + i)
        y = x
        if x < 0:
            y = -x
            if x < -1:
                y += 1.0
        tl.store(Y + row * n + i, y)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
