# options: block=32
"""A loop over rows around the one over elements."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, m, n):
    SCALAR_BLOCK: tl.constexpr = 32
    for r in range(m):
        acc_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.float32)
        for start in range(0, n, SCALAR_BLOCK):
            i = start + tl.arange(0, SCALAR_BLOCK)
            mask = i < n
            x = tl.load(X + r * n + i, mask=mask, other=0)
            acc_tile += x
            tl.store(Y + r * n + i, x * 2.0, mask=mask)
        acc = tl.sum(acc_tile, axis=0)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, m, n)
    return y
