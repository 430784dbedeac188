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
    m,
    BLOCK: tl.constexpr,
    SHORT: tl.constexpr,
    ROWS: tl.constexpr,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < m
    row_mask &= tl.load(Wanted + rows, mask=row_mask) != 0
    if SHORT:
        cols = tl.arange(0, BLOCK)[None, :]
        total = tl.sum(
            tl.load(X + rows * stride + cols, mask=row_mask & (cols < rest + 1), other=0.0),
            axis=1,
            keep_dims=True,
        )
    else:
        total = tl.zeros([ROWS, 1], dtype=tl.float32)
        for start in range(0, rest + 1, BLOCK):
            cols = start + tl.arange(0, BLOCK)[None, :]
            x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < rest + 1), other=0.0)
            total += tl.sum(x, axis=1, keep_dims=True)
    tl.store(Y + rows, total, mask=row_mask)
    row_mask &= ~(total < 0.0)
    tl.store(Kept + rows, 1, mask=row_mask)


# tritonopt: x: f32[m, n], wanted: i32[m] in 0..2
def run(x: torch.Tensor, wanted: torch.Tensor):
    m, n = x.shape
    x, wanted = x.contiguous(), wanted.contiguous()
    y = torch.zeros(m, device=x.device)
    kept = torch.zeros(m, dtype=torch.int32, device=x.device)
    # Rows are short: a program takes about 512 elements.
    rows = 32
    kernel[(triton.cdiv(m, rows),)](
        x, y, kept, wanted, x.stride(0), n - 1, m, BLOCK=16, ROWS=rows
    )
    return y, kept
