# options: programs=1
"""Two numbers that a loop carries, one of which begins as the other."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    a = tl.full([ROWS, 1], 0.5, dtype=tl.float32)
    b = a
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
        b += tl.sum(x, axis=1, keep_dims=True)
        a = tl.maximum(a, tl.max(x, axis=1, keep_dims=True))
    tl.store(Y + rows, a + b, mask=row_mask)


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
