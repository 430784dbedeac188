# options: programs=1
"""A tuner chooses the warps: it chooses anew where a program has another number of rows."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)],
    key=[
        "N", "ROWS",  # how long a row is
    ],
)
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


def run(x: torch.Tensor):
    m, n = x.shape
    assert n <= 64
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    # A power of two, with which programs enough remain.
    rows_per_program = max(1, min(32, triton.next_power_of_2(m + 1) // 2))
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=64, num_rows=m, ROWS=rows_per_program
    )
    return y
