# options: block=32
"""A count of the elements that are one number."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    count = 0
    for i in range(n):
        val = tl.load(X + i)
        if val == 3:
            count = count + 1
    tl.store(Y, count)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
