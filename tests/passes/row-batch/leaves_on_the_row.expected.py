# verify: always
# options: elements=64
"""A row of padding is left alone."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, L, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    row_mask &= ~(tl.load(L + rows, mask=row_mask) < 0)
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + rows * stride + cols,
        x - tl.sum(x, axis=1, keep_dims=True),
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n], l: i32[m]
def run(x: torch.Tensor, l: torch.Tensor):
    m, n = x.shape
    x, l = x.contiguous(), l.contiguous()
    y = torch.zeros_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, l, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
