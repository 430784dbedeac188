# options: programs=1,elements=64
"""More programs are started than there are rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    # Nothing to do for these.
    if row >= M:
        return
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X, W, Y, stride, M, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1
):
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
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(num_rows + 1) // 2))
        kernel_rows[(triton.cdiv(num_rows, rows_per_program),)](
            x,
            w,
            y,
            x.stride(0),
            m,
            n,
            BLOCK=block,
            num_rows=num_rows,
            ROWS=rows_per_program,
        )
    else:
        kernel[(num_rows,)](x, w, y, x.stride(0), m, n, BLOCK=block)
    return y
