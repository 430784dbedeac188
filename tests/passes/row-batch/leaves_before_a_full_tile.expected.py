# verify: no, no row leaves
"""The tile is made behind the return, and has lanes at each launch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    row_mask &= ~(rows * N >= M * N)
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + rows * stride + cols,
        x - tl.sum(x, axis=1, keep_dims=True),
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    assert n <= 64
    x = x.contiguous()
    y = torch.zeros_like(x)
    # Rows are short: a program takes about 512 elements.
    rows = 8
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), m, n, BLOCK=64, ROWS=rows)
    return y
