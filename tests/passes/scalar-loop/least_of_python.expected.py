# options: block=32
"""The builtin `min`, which has no tiles in the interpreter."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    least_tile = tl.full([SCALAR_BLOCK], 100, dtype=tl.int32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        least_tile = tl.minimum(least_tile, tl.where(mask, tl.load(X + i, mask=mask), least_tile))
    least = tl.min(least_tile, axis=0)
    tl.store(Y, least)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
