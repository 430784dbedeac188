# options: programs=1,elements=64
"""Parameters that are numbered keep their places, so what says that one tile is enough stays."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit(do_not_specialize=[4])
def kernel(X, Y, stride, ONE_TILE: tl.constexpr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(x, axis=0))
    else:
        total = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0), axis=0)
        tl.store(Y + row, total)


# kernel for short rows, of which a program has several.
@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit(do_not_specialize=[4])
def kernel_rows_2(
    X,
    Y,
    stride,
    ONE_TILE: tl.constexpr,
    N,
    BLOCK: tl.constexpr,
    num_rows,
    ROWS: tl.constexpr = 1,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n], kernel_rows: None
def run(x: torch.Tensor, kernel_rows=None):
    """A parameter has the name that the kernel for short rows would have had."""
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    if n <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(4, triton.next_power_of_2(m + 1) // 2))
        kernel_rows_2[(triton.cdiv(m, rows_per_program),)](
            x, y, x.stride(0), N=n, BLOCK=16, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, x.stride(0), N=n, BLOCK=16)
    return y
