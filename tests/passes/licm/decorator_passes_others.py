# expect: missed data-may-change
"""What stands above the kernel passes the output for the input too."""

import torch
import triton
import triton.language as tl


class InPlace:
    def __init__(self, fn):
        self.fn = fn

    def __getitem__(self, grid):
        return lambda x, y, n: self.fn[grid](y, y, n)


@InPlace
@triton.jit
def kernel(x, y, n):
    for i in range(0, n):
        first = tl.load(x)
        tl.store(y + i, first + i)


def run(x: torch.Tensor):
    y = torch.ones_like(x)
    kernel[(1,)](x, y, x.numel())
    return y
