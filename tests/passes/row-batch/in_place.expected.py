# verify: always
# options: elements=64
"""A row is read, and written where it was read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        X + rows * stride + cols,
        x - tl.sum(x, axis=1, keep_dims=True) / N,
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n]
def center_(x: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous()
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return x
