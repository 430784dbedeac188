# expect: missed block-pointer-is-lost
"""One of two, chosen within an expression."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, C: tl.constexpr):
    x_block = (
        tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
        if C
        else tl.make_block_ptr(Y, (n,), (1,), (0,), (B,), (0,))
    )
    tl.store(Y + tl.arange(0, B), tl.load(x_block))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, C=1)
    return y
