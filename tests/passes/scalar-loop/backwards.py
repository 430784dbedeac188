# verify: always
# options: block=32
"""From the last element to the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n - 1, -1, -1):
        x = tl.load(X + i)
        total += x * i
        tl.store(X + i, x + 1)
    tl.store(Y, total)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
