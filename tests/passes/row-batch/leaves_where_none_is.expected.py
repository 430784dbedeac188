# verify: no, the test never holds
# options: elements=64
"""The number of rows is that of programs, so that none leaves."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + rows[:, None] * stride + cols[None, :],
        mask=row_mask[:, None] & (cols[None, :] < N),
        other=0.0,
    )
    tl.store(
        Y + rows[:, None] * stride + cols[None, :],
        x - tl.sum(x, axis=1)[:, None],
        mask=row_mask[:, None] & (cols[None, :] < N),
    )


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), m, n, BLOCK=block, ROWS=rows)
    return y
