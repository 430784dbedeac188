# options: programs=1
"""One name is the mask of the load, then that of the store."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    mask = cols < N
    x = tl.load(X + rows * stride + cols, mask=row_mask & mask, other=0.0)
    mask = (cols < N) & (cols > 0)
    tl.store(
        Y + rows * stride + cols,
        x - tl.max(x, axis=1, keep_dims=True),
        mask=row_mask & mask,
    )


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros_like(x)
    assert n <= 16
    # A power of two, with which programs enough remain.
    rows_per_program = max(1, min(128, triton.next_power_of_2(m + 1) // 2))
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=16, num_rows=m, ROWS=rows_per_program
    )
    return y
