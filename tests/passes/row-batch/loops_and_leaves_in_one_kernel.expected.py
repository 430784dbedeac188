# options: programs=1,apart=false
"""Rows leave before and behind the two branches."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"SHORT": lambda args: args["rest"] + 1 <= args["BLOCK"]})
@triton.jit
def kernel(
    X,
    Y,
    Kept,
    Wanted,
    stride,
    rest,
    BLOCK: tl.constexpr,
    SHORT: tl.constexpr,
    num_rows,
    ROWS: tl.constexpr = 1,
):
    if SHORT:
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        row_mask = rows < num_rows
        row_mask &= tl.load(Wanted + rows, mask=row_mask) != 0
        cols = tl.arange(0, BLOCK)[None, :]
        total = tl.sum(
            tl.load(X + rows * stride + cols, mask=row_mask & (cols < rest + 1), other=0.0),
            axis=1,
            keep_dims=True,
        )
        tl.store(Y + rows, total, mask=row_mask)
        row_mask &= ~(total < 0.0)
        tl.store(Kept + rows, 1, mask=row_mask)
    else:
        # A row that takes several tiles has a program of its own: ROWS is 1.
        row = tl.program_id(0)
        if tl.load(Wanted + row) == 0:
            return
        total = 0.0
        for start in range(0, rest + 1, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < rest + 1, other=0.0)
            total += tl.sum(x, axis=0)
        tl.store(Y + row, total)
        if total < 0.0:
            return
        tl.store(Kept + row, 1)


# tritonopt: x: f32[m, n], wanted: i32[m] in 0..2
def run(x: torch.Tensor, wanted: torch.Tensor):
    m, n = x.shape
    x, wanted = x.contiguous(), wanted.contiguous()
    y = torch.zeros(m, device=x.device)
    kept = torch.zeros(m, dtype=torch.int32, device=x.device)
    # A power of two, with which programs enough remain.
    rows_per_program = (
        max(1, min(128, triton.next_power_of_2(m + 1) // 2))
        if (n - 1) + 1 <= 16
        else 1
    )
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, kept, wanted, x.stride(0), n - 1, BLOCK=16, num_rows=m, ROWS=rows_per_program
    )
    return y, kept
