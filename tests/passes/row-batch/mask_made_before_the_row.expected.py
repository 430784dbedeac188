"""The mask is made before the program asks for its row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    cols = tl.arange(0, BLOCK)[None, :]
    mask = cols < N
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    x = tl.load(X + rows * stride + cols, mask=row_mask & mask, other=0.0)
    tl.store(
        Y + rows * stride + cols,
        x - tl.max(x, axis=1, keep_dims=True),
        mask=row_mask & mask,
    )


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
