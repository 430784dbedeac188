# options: two_axes=true
"""Sums that keep an axis, or get a new one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = row * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, 1], dtype=tl.float32)
    m = tl.full([ROWS, 1], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=1)[:, None]
        m = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
    tl.store(Y + rows[:, None], acc + m, mask=rows[:, None] < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=8)
    return y
