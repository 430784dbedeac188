# verify: always
"""Pointers to the tile of a row go on from tile to tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(axis=0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x_ptrs = X + rows * stride + cols
    y_ptrs = Y + rows * stride + cols
    for start in range(0, N, BLOCK):
        x = tl.load(x_ptrs, mask=row_mask & (start + cols < N))
        tl.store(y_ptrs, x * 2.0, mask=row_mask & (start + cols < N))
        x_ptrs += BLOCK
        y_ptrs += BLOCK


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # Rows are short: a program takes about 512 elements.
    rows = 32
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=16, ROWS=rows)
    return y
