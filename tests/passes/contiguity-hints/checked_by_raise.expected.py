"""The launcher raises where its block does not fit, and passes it on by its own name."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_rows(X, Y, ROWS, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    start = pid * BLOCK
    rows = (start + tl.arange(0, BLOCK)) % ROWS  # a ring
    # True if ROWS is a multiple of BLOCK.
    rows = tl.max_contiguous(tl.multiple_of(rows, BLOCK), BLOCK)
    values = tl.load(X + rows)
    tl.store(Y + start + tl.arange(0, BLOCK), values * 2.0)


# tritonopt: x: f32[n]
def doubled_ring(x: torch.Tensor):
    rows = x.shape[0]
    block = 16
    if rows % block != 0:
        raise ValueError(f"{rows} rows are no whole number of blocks")
    y = torch.empty(rows + block, dtype=x.dtype, device=x.device)
    gather_rows[(triton.cdiv(rows, block) + 1,)](x, y, rows, block)
    return y
