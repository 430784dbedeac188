# expect: missed block-pointer-is-lost
"""It is not where it was made."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    block = tl.advance(block, (offset,))
    return block


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = block_of(X, n, pid * B, B)
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
