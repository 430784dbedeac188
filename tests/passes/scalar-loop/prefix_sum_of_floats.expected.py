# verify: always
# options: block=32
"""A running sum of floats, which rounds in another order."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        total_added = tl.load(X + row * n + i, mask=mask, other=0).to(tl.float32)
        total_tile = total + tl.cumsum(total_added, axis=0)
        total += tl.sum(total_added, axis=0)
        tl.store(Y + row * n + i, total_tile, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
