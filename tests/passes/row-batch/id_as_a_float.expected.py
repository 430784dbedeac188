# options: elements=64
"""The program id as a float is no number of a row: which rows there are is asked of the id."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    slope = rows.to(tl.float16)
    row = rows
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + row * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + row * stride + cols,
        x * slope - tl.sum(x, axis=1, keep_dims=True),
        mask=row_mask & (cols < N),
    )


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
