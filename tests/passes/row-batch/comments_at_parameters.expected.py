# options: programs=1
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
    , BLOCK: tl.constexpr  # a power of two
    # whether one tile holds a row
    , ONE_TILE: tl.constexpr  # set by the heuristic
):
    row = tl.program_id(0)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        total = tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)
        tl.store(Y + row, total)
    else:
        acc = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(acc, axis=0))


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X,  # rows
    Y
    , N  # how long a row is
    , BLOCK: tl.constexpr,  # a power of two
    num_rows,
    ROWS: tl.constexpr = 1
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    total = tl.sum(
        tl.load(X + rows * N + cols, mask=row_mask & (cols < N), other=0.0),
        axis=1,
        keep_dims=True,
    )
    tl.store(Y + rows, total, mask=row_mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    if n <= 32:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64, triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, n, BLOCK=32, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, n, BLOCK=32)
    return y
