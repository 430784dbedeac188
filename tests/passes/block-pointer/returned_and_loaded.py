"""A helper makes it."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = block_of(X, n, B)
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
