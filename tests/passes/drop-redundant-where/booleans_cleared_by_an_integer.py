# expect: missed safety
"""Booleans would become int32 here: their sum is 2; without the tl.where True."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0)
    y = tl.where(mask, x, 0)
    tl.store(Y + cols, y + y, mask=mask)


def run(x: torch.Tensor, z: torch.Tensor):
    y = torch.empty_like(x, dtype=torch.int32)
    n = x.numel()
    kernel[(1,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y
