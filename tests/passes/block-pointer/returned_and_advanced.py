# expect: missed block-pointer-is-lost
"""Who calls the helper moves it."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = block_of(X, n, pid * B, B)
    x = tl.load(x_block, boundary_check=(0,))
    x_block = tl.advance(x_block, (B,))
    y_block = block_of(Y, n, pid * B, B)
    tl.store(y_block, x + tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
