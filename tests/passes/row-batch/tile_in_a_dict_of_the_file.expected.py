"""A dictionary of constants is the file's own, and two launches pass it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + rows * stride + cols,
        x - tl.sum(x, axis=1, keep_dims=True) / N,
        mask=row_mask & (cols < N),
    )


META = {"BLOCK": 16}


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    assert n <= 16
    x = x.contiguous()
    y, z = torch.empty_like(x), torch.empty_like(x)
    # Rows are short: a program takes about 512 elements.
    rows = 32
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, ROWS=rows, **META)
    kernel[(triton.cdiv(m, rows),)](y, z, x.stride(0), n, m, ROWS=rows, **META)
    return z
