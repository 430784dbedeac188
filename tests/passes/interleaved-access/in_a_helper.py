# expect: missed called-from-a-kernel
"""A helper may be given tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def both(X, n, BLOCK: tl.constexpr):
    k = tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k[None, :], mask=k[None, :] < n, other=0.0)
    odd = tl.load(X + 2 * k[None, :] + 1, mask=k[None, :] < n, other=0.0)
    return even + odd


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, 4)
    k = tl.arange(0, BLOCK)
    total = both(X + rows[:, None] * (2 * n), n, BLOCK)
    tl.store(Y + rows[:, None] * n + k[None, :], total, mask=k[None, :] < n)


def run(x: torch.Tensor):
    n = 32
    y = torch.empty((4, n), dtype=x.dtype, device=x.device)
    kernel[(1,)](x[:256].contiguous(), y, n, BLOCK=32)
    return y
