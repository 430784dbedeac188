# expect: silent
"""A loop that stops once it has found something."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    start = 0
    total = 0.0
    while (start < N) & (total < 1.0):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0), axis=0)
        start += BLOCK
    tl.store(Y, total)


def reduced(x: torch.Tensor):
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y
