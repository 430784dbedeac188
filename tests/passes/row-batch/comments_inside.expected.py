# options: programs=1
"""Comments stay on their lines."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)  # the row
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + rows[:, None] * stride + cols[None, :],  # where it is
        mask=row_mask[:, None] & (cols[None, :] < N),  # up to its end
        other=0.0,
    )
    y = (
        x  # what it is
        - tl.sum(x, axis=1)[:, None]  # without what it comes to
    )
    # and back
    tl.store(
        Y + rows[:, None] * stride + cols[None, :],
        y,
        mask=row_mask[:, None] & (cols[None, :] < N),
    )


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # A power of two, with which programs enough remain.
    rows_per_program = (
        max(
            1,
            min(2048 // max(triton.next_power_of_2(n), 1), triton.next_power_of_2(m + 1) // 2),
        )
        if triton.next_power_of_2(n) <= 512
        else 1
    )
    kernel[(triton.cdiv(m, rows_per_program),)](
        x,
        y,
        x.stride(0),
        n,
        BLOCK=triton.next_power_of_2(n),
        num_rows=m,
        ROWS=rows_per_program,
    )
    return y
