# expect: missed block-pointer-is-lost
"""It is a row in one call, and a tile in another."""

import torch
import triton
import triton.language as tl


@triton.jit
def total(block):
    return tl.sum(tl.load(block))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tile = tl.make_block_ptr(X, (n, 1), (1, 1), (0, 0), (B, 1), (1, 0))
    tl.store(y_block, tl.load(x_block) + total(x_block) + total(tile), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
