# expect: missed type-is-unknown
"""A sum that starts as an integer, of data of a type that is not known: no fraction may go."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    total = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0))
    tl.store(Y, total)


def run(x: torch.Tensor):
    y = torch.empty(1, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y
