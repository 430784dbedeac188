# verify: always
# options: programs=1
"""Pointers to the tile of a row go on from tile to tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(axis=0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    x_ptrs = X + rows * stride + cols
    y_ptrs = Y + rows * stride + cols
    for start in range(0, N, BLOCK):
        x = tl.load(x_ptrs, mask=row_mask & (start + cols < N))
        tl.store(y_ptrs, x * 2.0, mask=row_mask & (start + cols < N))
        x_ptrs += BLOCK
        y_ptrs += BLOCK


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # A power of two, with which programs enough remain.
    rows_per_program = max(1, min(128, triton.next_power_of_2(m + 1) // 2))
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=16, num_rows=m, ROWS=rows_per_program
    )
    return y
