# expect: missed not-lane-by-lane
"""What a tuple holds may be a tile, which would get one more axis."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, factors, WHICH: tl.constexpr):
    factor = factors[WHICH]
    for i in range(n):
        tl.store(Y + i, tl.load(X + i) * factor)


def run(x: torch.Tensor, factors: tuple):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel(), factors, WHICH=0)
    return y
