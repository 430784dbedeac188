# options: programs=1
"""A launch with a comment above it and one behind: both stand with each of the two launches."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N + cols, x - tl.sum(x, axis=0), mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, Y, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * N + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(
        Y + rows * N + cols, x - tl.sum(x, axis=1, keep_dims=True), mask=row_mask & (cols < N)
    )


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    if block <= 512:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(2048 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        # One program for each row.
        kernel_rows[(triton.cdiv(m, rows_per_program),)](x, y, n, BLOCK=block, num_rows=m, ROWS=rows_per_program)  # on the current stream
    else:
        # One program for each row.
        kernel[(m,)](x, y, n, BLOCK=block)  # on the current stream
    return y
