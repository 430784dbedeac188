# options: block=32
"""A search for the first element of a kind."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    found_tile = tl.full([SCALAR_BLOCK], -1, dtype=tl.int32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        active = mask & (found_tile == -1) & (tl.load(X + i, mask=mask & (found_tile == -1)) > 2)
        found_tile = tl.where(active, i, found_tile)
    found = tl.min(tl.where(found_tile == -1, tl.max(found_tile, axis=0), found_tile), axis=0)
    tl.store(Y, found)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
