# expect: missed block-pointer-is-lost
"""Both may be read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    first = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    second = tl.advance(first, (B,))
    x = tl.load(first, boundary_check=(0,)) + tl.load(second, boundary_check=(0,))
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
