# expect: missed other-axes
"""The maximum of a row is subtracted from a column: the tile is square."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    X += rows[:, None] * N
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1))
    s = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[None, :]), axis=1)
    tl.store(Y + rows, s, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, BLOCK=16)
    return y
