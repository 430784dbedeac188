# verify: no, it has no launcher
"""The lanes are cleared, but those of the rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + rows[:, None] * stride + cols[None, :],
        mask=(rows[:, None] < M) & (cols[None, :] < N),
    )
    x = tl.where(rows[:, None] < M, x, 0.0)
    tl.store(Y + rows, tl.sum(x, axis=1), mask=rows < M)
