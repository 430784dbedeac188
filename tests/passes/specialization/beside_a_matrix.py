# expect: silent
"""Rows of a matrix are counted, and one number of each is stored beside it."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["M"])
def norm_rows(X, Y, R, M, D: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < M)[:, None] & (cols < D)[None, :]
    offsets = rows[:, None] * D + cols[None, :]
    x = tl.load(X + offsets, mask=mask, other=0.0)
    r = tl.rsqrt(tl.sum(x * x, axis=1) / D)
    tl.store(Y + offsets, x * r[:, None], mask=mask)
    tl.store(R + rows, r, mask=rows < M)
