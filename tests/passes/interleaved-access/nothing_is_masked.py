"""Whole tiles, without a mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k)
    odd = tl.load(X + 2 * k + 1)
    tl.store(Y + 2 * k, odd)
    tl.store(Y + 2 * k + 1, even)


def run(x: torch.Tensor):
    n = x.numel() // 64 * 32
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(n // 32,)](x.contiguous(), y, n, BLOCK=32)
    return y
