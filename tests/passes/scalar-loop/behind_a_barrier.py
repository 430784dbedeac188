# options: block=32
"""Where a barrier stands between, other threads may read what the loop stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y + i, tl.load(X + i) * 2)
    tl.debug_barrier()
    total = 0
    for i in range(n):
        total += tl.load(Y + (n - 1 - i)) * i
    tl.debug_barrier()
    tl.store(Y + n, total)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(n + 1, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
