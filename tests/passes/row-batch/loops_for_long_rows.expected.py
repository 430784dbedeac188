# options: programs=1,elements=64
"""Only rows that one tile holds are handled several at once; what goes before and behind is for
both."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: 0 < args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, Total, stride, N, scale, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    half = scale / 2
    X += row * stride
    Y += row * stride  # where it goes

    # Few elements are loaded once.
    if ONE_TILE:  # by the heuristic
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        total = tl.sum(x, axis=0)
        tl.store(Y + cols, x * half, mask=cols < N)
    # Others are loaded twice.
    else:
        total = 0.0
        for start in range(0, N, BLOCK):
            total += tl.sum(tl.load(X + start + cols, mask=start + cols < N, other=0.0), axis=0)
        for start in range(0, N, BLOCK):
            x = tl.load(X + start + cols, mask=start + cols < N, other=0.0)
            tl.store(Y + start + cols, x * half, mask=start + cols < N)

    # One number to a row.
    tl.store(Total + row, total * half)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(
    X,
    Y,
    Total,
    stride,
    N,
    scale,
    BLOCK: tl.constexpr,
    num_rows,
    ROWS: tl.constexpr = 1,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    cols = tl.arange(0, BLOCK)[None, :]
    half = scale / 2
    X += rows * stride
    Y += rows * stride  # where it goes

    # Few elements are loaded once.
    x = tl.load(X + cols, mask=row_mask & (cols < N), other=0.0)
    total = tl.sum(x, axis=1, keep_dims=True)
    tl.store(Y + cols, x * half, mask=row_mask & (cols < N))

    # One number to a row.
    tl.store(Total + rows, total * half, mask=row_mask)


# tritonopt: x: f32[m, n], scale: float
def run(x: torch.Tensor, scale: float):
    m, n = x.shape
    x = x.contiguous()
    y, total = torch.zeros_like(x), torch.zeros(m, device=x.device)
    block = min(16, triton.next_power_of_2(n))
    if 0 < n <= block:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, total, x.stride(0), n, scale, BLOCK=block, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, total, x.stride(0), n, scale, BLOCK=block)
    return y, total
