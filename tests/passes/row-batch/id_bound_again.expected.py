# options: programs=1,elements=64
"""The name of the program id is bound again, so it stays; another ROWS is taken."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, first, stride, N, ROWS, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    row = row + first
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    y = tl.sum(x, axis=0) * ROWS
    tl.store(Y + row, y)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X,
    Y,
    first,
    stride,
    N,
    ROWS,
    BLOCK: tl.constexpr,
    num_rows,
    ROWS_PER_PROGRAM: tl.constexpr = 1,
):
    row = tl.program_id(0) * ROWS_PER_PROGRAM + tl.arange(0, ROWS_PER_PROGRAM)[:, None]
    row_mask = row < num_rows
    row = row + first
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + row * stride + cols, mask=row_mask & (cols < N), other=0.0)
    y = tl.sum(x, axis=1, keep_dims=True) * ROWS
    tl.store(Y + row, y, mask=row_mask)


# tritonopt: x: f32[m, n]
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    if m > 1:
        num_rows = m - 1
        block = triton.next_power_of_2(n)
        if block <= 16:
            # A power of two, with which programs enough remain.
            rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(num_rows + 1) // 2))
            kernel_rows[(triton.cdiv(num_rows, rows_per_program),)](
                x,
                y,
                1,
                x.stride(0),
                n,
                2,
                BLOCK=block,
                num_rows=num_rows,
                ROWS_PER_PROGRAM=rows_per_program,
            )
        else:
            kernel[(num_rows,)](x, y, 1, x.stride(0), n, 2, BLOCK=block)
    return y
