# options: elements=64
"""Parameters that are numbered keep their places, so what says that one tile is enough stays."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit(do_not_specialize=[4])
def kernel(X, Y, stride, ONE_TILE: tl.constexpr, N, BLOCK: tl.constexpr, M, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)[None, :]
        x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
        tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)
    else:
        total = tl.zeros([ROWS, 1], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)[None, :]
            total += tl.sum(
                tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0),
                axis=1,
                keep_dims=True,
            )
        tl.store(Y + rows, total, mask=row_mask)


# tritonopt: x: f32[m, n], kernel_rows: None
def run(x: torch.Tensor, kernel_rows=None):
    """A parameter has the name that the kernel for short rows would have had."""
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    # Rows are short: a program takes about 64 elements.
    rows_per_program = 4
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), N=n, BLOCK=16, M=m, ROWS=rows_per_program
    )
    return y
