# verify: always
# options: block=32
"""From the last element to the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    total_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    for start in range(n - 1, -1, -SCALAR_BLOCK):
        i = start - tl.arange(0, SCALAR_BLOCK)
        mask = i > -1
        x = tl.load(X + i, mask=mask)
        total_tile += tl.where(mask, x * i, 0)
        tl.store(X + i, x + 1, mask=mask)
    total = tl.sum(total_tile, axis=0)
    tl.store(Y, total)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
