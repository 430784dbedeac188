"""Made anew in each iteration, and loaded through by its maker too."""

import torch
import triton
import triton.language as tl


@triton.jit
def loaded(X, n, start, B: tl.constexpr):
    offs_n = start + tl.arange(0, B).to(tl.int64)
    block = X + offs_n
    return tl.load(block, mask=offs_n < n, other=0.0)


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    for start in range(0, n, B):
        offs_n = start + tl.arange(0, B).to(tl.int64)
        x_block = X + offs_n
        y_block = Y + offs_n
        x = tl.load(x_block, mask=offs_n < n, other=0.0)
        tl.store(y_block, x + loaded(X, n, start, B), mask=offs_n < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, n, B=32)
    return y
