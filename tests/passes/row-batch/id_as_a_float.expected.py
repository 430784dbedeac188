# options: programs=1,elements=64
"""The program id as a float is no number of a row: which rows there are is asked of the id."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    slope = tl.program_id(0).to(tl.float16)
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x * slope - tl.sum(x), mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
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
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)
    return y
