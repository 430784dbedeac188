"""Who calls checks nothing: there is no mask to return."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))


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
