"""A tile that all rows share is reduced to a number for all."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    mask = cols < N
    w = tl.load(W + cols, mask=mask, other=0.0)
    scale = tl.sum(w, axis=None) + tl.max(w, None) + tl.min(w) + w.sum()
    x = tl.load(X + rows * stride + cols, mask=row_mask & mask, other=0.0)
    tl.store(
        Y + rows * stride + cols,
        x * scale + w * tl.max(x, axis=1, keep_dims=True),
        mask=row_mask & mask,
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
