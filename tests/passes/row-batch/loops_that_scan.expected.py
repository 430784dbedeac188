# options: programs=1
"""What cannot be lifted stands in the loop, which is for one row only."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(
    X, Y, stride, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr, num_rows, ROWS: tl.constexpr = 1
):
    if ONE_TILE:
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
        row_mask = rows < num_rows
        cols = tl.arange(0, BLOCK)
        x = tl.load(
            X + rows[:, None] * stride + cols[None, :],
            mask=row_mask[:, None] & (cols[None, :] < N),
            other=0.0,
        )
        tl.store(Y + rows, tl.sum(x, axis=1), mask=row_mask)
    else:
        # A row that takes several tiles has a program of its own: ROWS is 1.
        row = tl.program_id(0)
        total = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
            total += tl.max(tl.where(cols % BLOCK == BLOCK - 1, tl.cumsum(x, axis=0), -float("inf")))
        tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    # A power of two, with which programs enough remain.
    rows_per_program = max(1, min(128, triton.next_power_of_2(m + 1) // 2)) if n <= 16 else 1
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=16, num_rows=m, ROWS=rows_per_program
    )
    return y
