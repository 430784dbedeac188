# expect: missed block-pointer-is-lost
"""The shape is a name for a tuple."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    shape = (n,)
    x_block = tl.make_block_ptr(X, shape, (1,), (0,), (B,), (0,))
    tl.store(Y + tl.arange(0, B), tl.load(x_block, boundary_check=(0,)))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
