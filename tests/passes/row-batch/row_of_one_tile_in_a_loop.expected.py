"""Squares are added up tile by tile, and a later loop goes through the row again: RMS norm.

Each launch shows that one tile holds the row, so nothing goes on for several tiles.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, w_ptr, N, eps, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    squares = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(x_ptr + rows * N + cols, mask=row_mask & (cols < N), other=0.0)
        squares += x * x
    scale = tl.rsqrt(tl.sum(squares, axis=1, keep_dims=True) / N + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(x_ptr + rows * N + cols, mask=row_mask & (cols < N), other=0.0)
        w = tl.load(w_ptr + cols, mask=cols < N, other=0.0)
        tl.store(y_ptr + rows * N + cols, x * scale * w, mask=row_mask & (cols < N))


def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    assert n <= 1024
    y = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(n))
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, w, n, 1e-6, m, BLOCK=block, ROWS=rows)
    return y
