"""A helper gives the columns, another one reads weights at them."""

import torch
import triton
import triton.language as tl


@triton.jit
def columns(BLOCK: tl.constexpr):
    return tl.arange(0, BLOCK)


@triton.jit
def weights(W, cols, N):
    return tl.load(W + cols, mask=cols < N, other=0.0)


@triton.jit
def kernel(X, W, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = columns(BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    w = weights(W, cols, N)
    tl.store(
        Y + rows * stride + cols,
        x * w - tl.max(x, axis=1, keep_dims=True),
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    assert n <= 16
    # Rows are short: a program takes about 512 elements.
    rows = 32
    kernel[(triton.cdiv(m, rows),)](x, w, y, x.stride(0), n, m, BLOCK=16, ROWS=rows)
    return y
