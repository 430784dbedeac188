"""A helper makes it."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, B: tl.constexpr):
    offs_n = tl.arange(0, B)
    return X + offs_n, offs_n < n


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block, x_block_mask = block_of(X, n, B)
    x = tl.load(x_block, mask=x_block_mask, other=0.0)
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
