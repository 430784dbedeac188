# options: elements=64
"""More programs are started than there are rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, M, N, num_rows, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    # Nothing to do for these.
    row_mask &= ~(rows >= M)
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + rows * stride + cols,
        x - tl.sum(x, axis=1, keep_dims=True),
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n], w: f32[m]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.zeros_like(x)
    num_rows = m + 3
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(num_rows, rows),)](
        x, w, y, x.stride(0), m, n, num_rows, BLOCK=block, ROWS=rows
    )
    return y
