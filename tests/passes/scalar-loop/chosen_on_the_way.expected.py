# options: block=32
"""A name that is bound again in some iterations."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + row * n + i, mask=mask)
        y = x
        active = mask & (x < 0)
        y = tl.where(active, -x, y)
        active_2 = active & (x < -1)
        y = tl.where(active_2, y + 1.0, y)
        tl.store(Y + row * n + i, y, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
