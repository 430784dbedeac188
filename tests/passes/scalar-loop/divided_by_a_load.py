# expect: missed may-divide-by-zero
"""A lane beyond the end would divide by whatever it holds."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y + i, 100 // tl.load(X + i))


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel())
    return y
