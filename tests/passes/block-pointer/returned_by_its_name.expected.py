"""The helper loads through it as well before it returns it."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    offs_n = offset + tl.arange(0, B).to(tl.int64)
    block = X + offs_n
    tl.store(block, tl.load(block, mask=offs_n < n) * 2, mask=offs_n < n)
    return block, offs_n < n


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block, x_block_mask = block_of(X, n, pid * B, B)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    y_block = Y + offs_n
    tl.store(y_block, tl.load(x_block, mask=x_block_mask), mask=offs_n < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
