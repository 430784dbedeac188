# options: block=32
"""The builtin `min`, which has no tiles in the interpreter."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    least = 100
    for i in range(n):
        least = min(least, tl.load(X + i))
    tl.store(Y, least)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
