# verify: always
"""A mask that says nothing, one that is a number for the row, and none."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, row_mask)
    z = tl.load(X + rows * stride + cols, mask=row_mask & (rows > 0), other=cols)
    y = tl.sum(x, 1, keep_dims=True) + tl.sum(z, -1, keep_dims=True)
    tl.store(Y + rows, y, mask=row_mask)
    tl.store(Z + rows * stride + cols, y, mask=row_mask)


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    z = torch.empty_like(x)
    # Rows are short: a program takes about 512 elements.
    rows = 32
    kernel[(triton.cdiv(m, rows),)](x, y, z, x.stride(0), m, n, BLOCK=16, ROWS=rows)
    return y, z
