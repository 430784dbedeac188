# expect: missed block-pointer-is-lost
"""The arguments come from a tuple."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    rest = ((n,), (1,), (0,), (B,), (0,))
    p = tl.make_block_ptr(X, *rest)
    tl.store(Y + tl.arange(0, B), tl.load(p, boundary_check=(0,)), mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
