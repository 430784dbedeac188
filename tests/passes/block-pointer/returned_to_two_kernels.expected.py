"""One of them checks nothing, the other one does."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    offs_n = offset + tl.arange(0, B).to(tl.int64)
    return X + offs_n, offs_n < n


@triton.jit
def whole(X, Y, B: tl.constexpr):
    x_block, x_block_mask = block_of(X, B, 0, B)
    y_block, y_block_mask = block_of(Y, B, 0, B)
    tl.store(y_block, tl.load(x_block))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    for start in range(0, n, B):
        x_block, x_block_mask = block_of(X, n, start, B)
        y_block, y_block_mask = block_of(Y, n, start, B)
        tl.store(y_block, tl.load(x_block, mask=x_block_mask), mask=y_block_mask)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    if n == 32:
        whole[(1,)](x, y, B=32)
    else:
        kernel[(1,)](x, y, n, B=32)
    return y
