# options: block=32
"""Where a barrier stands between, other threads may read what the loop stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        tl.store(Y + i, tl.load(X + i, mask=mask) * 2, mask=mask)
    tl.debug_barrier()
    total_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        total_tile += tl.where(mask, tl.load(Y + (n - 1 - i), mask=mask) * i, 0)
    total = tl.sum(total_tile, axis=0)
    tl.debug_barrier()
    tl.store(Y + n, total)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(n + 1, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
