# expect: missed not-expressible
"""The offsets have no place before each test."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    i = 0
    while tl.sum(tl.load(p.advance((i * B,)), boundary_check=(0,))) > 0:
        tl.store(Y + i, i)
        i += 1


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
