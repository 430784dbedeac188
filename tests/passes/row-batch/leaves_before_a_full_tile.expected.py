# verify: no, no row leaves
"""The tile is made behind the return, and has lanes at each launch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    row_mask &= ~(rows * N >= M * N)
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + rows[:, None] * stride + cols[None, :],
        mask=row_mask[:, None] & (cols[None, :] < N),
        other=0.0,
    )
    tl.store(
        Y + rows[:, None] * stride + cols[None, :],
        x - tl.sum(x, axis=1)[:, None],
        mask=row_mask[:, None] & (cols[None, :] < N),
    )


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    assert n <= 64
    x = x.contiguous()
    y = torch.zeros_like(x)
    kernel[(triton.cdiv(m, 8),)](x, y, x.stride(0), m, n, BLOCK=64, ROWS=8)
    return y
