# options: elements=64
"""The compiler knows how long the row is, and compares it with the tile in two places."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, W, stride, M, N: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    weights = 0.0
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    if N <= BLOCK:
        x = tl.load(
            X + rows * stride + tl.arange(0, BLOCK)[None, :],
            mask=row_mask & (tl.arange(0, BLOCK)[None, :] < N),
            other=0.0,
        )
        largest = tl.max(x, axis=1, keep_dims=True)
    else:
        largest = tl.full([ROWS, 1], -float("inf"), dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)[None, :]
            x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=-float("inf"))
            largest = tl.maximum(largest, tl.max(x, axis=1, keep_dims=True))
    weights += tl.load(W)
    if N <= BLOCK:
        tl.store(Y + rows, largest * weights, mask=row_mask)
    else:
        tl.store(Y + rows, (largest + 1.0) * weights, mask=row_mask)


# tritonopt: x: f32[m, n], w: f32[1]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    # Rows are short: a program takes about 64 elements.
    rows = 4
    kernel[(triton.cdiv(m, rows),)](x, y, w, x.stride(0), m, N=n, BLOCK=16, ROWS=rows)
    return y
