"""What a heuristic chose is not asked in the new kernel; comments stay at their parameters."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(
    X,  # rows
    Y
    , N  # how long a row is
    , M, BLOCK: tl.constexpr  # a power of two
    # whether one tile holds a row
    , ONE_TILE: tl.constexpr,  # set by the heuristic
    ROWS: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)[None, :]
        total = tl.sum(
            tl.load(X + rows * N + cols, mask=row_mask & (cols < N), other=0.0),
            axis=1,
            keep_dims=True,
        )
        tl.store(Y + rows, total, mask=row_mask)
    else:
        acc = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)[None, :]
            acc += tl.load(X + rows * N + cols, mask=row_mask & (cols < N), other=0.0)
        tl.store(Y + rows, tl.sum(acc, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    # Rows are short: a program takes about 512 elements.
    rows = 16
    kernel[(triton.cdiv(m, rows),)](x, y, n, m, BLOCK=32, ROWS=rows)
    return y
