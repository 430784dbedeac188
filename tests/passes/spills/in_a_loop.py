# expect: analysis tile-is-spilled
"""Tiles that a launch says to be 32768 elements long: a loop is there, and they are too long."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(Y, X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32)
    row_sum[(m,)](y, x, x.stride(0), n, BLOCK=32768)
    return y
