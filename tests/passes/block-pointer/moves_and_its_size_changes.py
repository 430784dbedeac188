# expect: missed block-pointer-is-lost
"""What it was made of has another value where it is read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    n = n // 2
    for _ in range(2):
        tl.store(Y + tl.arange(0, B), tl.load(p, boundary_check=(0,)), mask=tl.arange(0, B) < n)
        p = tl.advance(p, (B,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
