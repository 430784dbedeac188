# verify: always
"""A mask that says nothing, one that is a number for the row, and none."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + rows[:, None] * stride + cols[None, :], row_mask[:, None])
    z = tl.load(
        X + rows[:, None] * stride + cols[None, :],
        mask=row_mask[:, None] & (rows[:, None] > 0),
        other=cols[None, :],
    )
    y = tl.sum(x, 1) + tl.sum(z, -1)
    tl.store(Y + rows, y, mask=row_mask)
    tl.store(
        Z + rows[:, None] * stride + cols[None, :],
        y[:, None],
        mask=row_mask[:, None],
    )


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    z = torch.empty_like(x)
    kernel[(triton.cdiv(m, 32),)](x, y, z, x.stride(0), m, n, BLOCK=16, ROWS=32)
    return y, z
