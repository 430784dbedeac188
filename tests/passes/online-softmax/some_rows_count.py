# expect: missed masked-off-lanes-count
"""Rows beyond the last one have the sum 0, and rows of -inf have NaN."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, ROW_BLOCK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROW_BLOCK + tl.arange(0, ROW_BLOCK)
    X += rows[:, None] * N
    m = tl.full([ROW_BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1))
    s = tl.zeros([ROW_BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.where(mask, tl.exp(x - m[:, None]), 0.0), axis=1)
    tl.store(Y + rows, m + tl.log(s), mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y
