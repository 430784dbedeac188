# options: programs=1,elements=64
"""Rows leave before and behind the two branches."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"SHORT": lambda args: args["rest"] + 1 <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, Kept, Wanted, stride, rest, BLOCK: tl.constexpr, SHORT: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(Wanted + row) == 0:
        return
    if SHORT:
        cols = tl.arange(0, BLOCK)
        total = tl.sum(tl.load(X + row * stride + cols, mask=cols < rest + 1, other=0.0), axis=0)
    else:
        total = 0.0
        for start in range(0, rest + 1, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < rest + 1, other=0.0)
            total += tl.sum(x, axis=0)
    tl.store(Y + row, total)
    if total < 0.0:
        return
    tl.store(Kept + row, 1)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X,
    Y,
    Kept,
    Wanted,
    stride,
    rest,
    BLOCK: tl.constexpr,
    num_rows,
    ROWS: tl.constexpr = 1,
):
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


# tritonopt: x: f32[m, n], wanted: i32[m] in 0..2
def run(x: torch.Tensor, wanted: torch.Tensor):
    m, n = x.shape
    x, wanted = x.contiguous(), wanted.contiguous()
    y = torch.zeros(m, device=x.device)
    kept = torch.zeros(m, dtype=torch.int32, device=x.device)
    if (n - 1) + 1 <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(4, triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, kept, wanted, x.stride(0), n - 1, BLOCK=16, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, kept, wanted, x.stride(0), n - 1, BLOCK=16)
    return y, kept
