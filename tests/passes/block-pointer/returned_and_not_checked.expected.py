"""Who calls checks nothing: there is no mask to return."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    offs_n = offset + tl.arange(0, B).to(tl.int64)
    return X + offs_n


@triton.jit
def kernel(X, Y, B: tl.constexpr):
    x_block = block_of(X, B, 0, B)
    y_block = block_of(Y, B, 0, B)
    tl.store(y_block, tl.load(x_block) * 2)


def run(x: torch.Tensor):
    """x: f32[32]"""
    y = torch.empty_like(x)
    kernel[(1,)](x, y, B=32)
    return y
