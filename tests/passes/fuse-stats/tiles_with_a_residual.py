"""All of it at once, in tiles of several rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, R, Y, rows, N, HAS_RESIDUAL: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N + BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        mask = (row < rows) & (cols < N)
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=1)[:, None] / tl.maximum(N, 1)
    squares = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        mask = (row < rows) & (cols < N)
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        d = tl.where(mask, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=1)[:, None] / tl.maximum(N, 1)
    tl.store(Y + row, var, mask=row < rows)


# tritonopt: x: f32[m, n], r: f32[m, n]
def run(x, r):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, r, y, m, n, True, ROWS=4, BLOCK=16)
    return y
