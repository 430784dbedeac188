# options: programs=1,elements=64
"""The compiler knows how long the row is, and compares it with the tile in two places."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, W, stride, N: tl.constexpr, BLOCK: tl.constexpr):
    weights = 0.0
    if N <= BLOCK:
        x = tl.load(X + tl.program_id(0) * stride + tl.arange(0, BLOCK), mask=tl.arange(0, BLOCK) < N, other=0.0)
        largest = tl.max(x, axis=0)
    else:
        largest = -float("inf")
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N, other=-float("inf"))
            largest = tl.maximum(largest, tl.max(x, axis=0))
    weights += tl.load(W)
    if N <= BLOCK:
        tl.store(Y + tl.program_id(0), largest * weights)
    else:
        tl.store(Y + tl.program_id(0), (largest + 1.0) * weights)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, Y, W, stride, N: tl.constexpr, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    weights = 0.0
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    x = tl.load(
        X + rows * stride + tl.arange(0, BLOCK)[None, :],
        mask=row_mask & (tl.arange(0, BLOCK)[None, :] < N),
        other=0.0,
    )
    largest = tl.max(x, axis=1, keep_dims=True)
    weights += tl.load(W)
    tl.store(Y + rows, largest * weights, mask=row_mask)


# tritonopt: x: f32[m, n], w: f32[1]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    if n <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(4, triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, w, x.stride(0), N=n, BLOCK=16, num_rows=m, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, y, w, x.stride(0), N=n, BLOCK=16)
    return y
