# verify: always
# options: block=32
"""A running sum of floats, which rounds in another order."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    total = 0.0
    for i in range(n):
        total += tl.load(X + row * n + i)
        tl.store(Y + row * n + i, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
