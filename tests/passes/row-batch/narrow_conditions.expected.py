"""Conditions of the row, or of the column, choose between tiles and numbers."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(X + rows * stride + cols, mask=mask, other=0.0)
    largest = tl.max(x, axis=1, keep_dims=True)
    x = tl.where(largest > 1.0, 0.0, x)
    x = tl.where(cols == 0, largest, x)
    x = tl.where(rows == 0, cols.to(tl.float32), x)
    x = tl.clamp(x, -1.0, tl.abs(largest) + 2.0)
    x = tl.fma(largest, cols.to(tl.float32), x)
    tl.store(Y + rows * stride + cols, x, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    assert n <= 16
    # Rows are short: a program takes about 512 elements.
    rows = 32
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=16, ROWS=rows)
    return y
