# expect: missed block-pointer-is-lost
"""Two names of one block pointer, one of which moves."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    other = x_block
    x_block = tl.advance(x_block, (B,))
    x = tl.load(x_block, boundary_check=(0,)) + tl.load(other, boundary_check=(0,))
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, n, B=32)
    return y
