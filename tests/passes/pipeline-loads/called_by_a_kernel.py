# expect: missed data-may-change
"""Whoever calls the function may have stored what it loads."""

import torch
import triton
import triton.language as tl


@triton.jit
def total_of(X, N, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0)
    return tl.sum(total, axis=0)


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(X + row * N, 0.0)
    tl.store(Y + row, total_of(X + row * N, N, BLOCK))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y
