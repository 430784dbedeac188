"""One of them checks nothing, the other one does."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))


@triton.jit
def whole(X, Y, B: tl.constexpr):
    x_block = block_of(X, B, 0, B)
    y_block = block_of(Y, B, 0, B)
    tl.store(y_block, tl.load(x_block))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    for start in range(0, n, B):
        x_block = block_of(X, n, start, B)
        y_block = block_of(Y, n, start, B)
        tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    if n == 32:
        whole[(1,)](x, y, B=32)
    else:
        kernel[(1,)](x, y, n, B=32)
    return y
