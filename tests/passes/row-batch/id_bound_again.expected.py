# options: elements=64
"""The name of the program id is bound again, so it stays; another ROWS is taken."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    first,
    stride,
    N,
    ROWS,
    num_rows,
    BLOCK: tl.constexpr,
    ROWS_PER_PROGRAM: tl.constexpr,
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
        # A program takes about 64 elements, of several rows where these are short.
        rows_per_program = max(64 // block, 1)
        kernel[(triton.cdiv(num_rows, rows_per_program),)](
            x,
            y,
            1,
            x.stride(0),
            n,
            2,
            num_rows,
            BLOCK=block,
            ROWS_PER_PROGRAM=rows_per_program,
        )
    return y
