"""A row in several tiles: what the loop carries begins as one for each row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    m = tl.full([ROWS, 1], -float("inf"), dtype=tl.float32)
    s = tl.zeros([ROWS, 1], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(
            X + rows * stride + cols, mask=row_mask & (cols < N), other=-float("inf")
        )
        new = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=1, keep_dims=True)
        m = new
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
        tl.store(
            Y + rows * stride + cols, tl.exp(x - m) / s, mask=row_mask & (cols < N)
        )


# tritonopt: x: f32[m, n]
def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # Rows are short: a program takes about 512 elements.
    rows = 32
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), m, n, BLOCK=16, ROWS=rows)
    return y
