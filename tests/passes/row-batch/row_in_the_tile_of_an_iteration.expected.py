"""The row is used again where its name means something else."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = row < M
    X += row * stride
    Y += row * stride
    row = row % 2
    cols = tl.arange(0, BLOCK)[None, :]
    mask = row_mask & (cols < N)
    x = tl.load(X + cols, mask=mask, other=0.0)
    tl.store(Y + cols, x - tl.max(x, axis=1, keep_dims=True) * row, mask=mask)


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
