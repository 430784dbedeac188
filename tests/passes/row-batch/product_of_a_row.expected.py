# options: programs=1
"""A reduction by a function that multiplies, which asks for no order."""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    product = tl.full([ROWS, 1], 1.0, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=1.0)
        product *= tl.reduce(x, 1, multiply, keep_dims=True)
    tl.store(Y + rows, product, mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    # A power of two, with which programs enough remain.
    rows_per_program = max(1, min(128, triton.next_power_of_2(m + 1) // 2))
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=16, num_rows=m, ROWS=rows_per_program
    )
    return y
