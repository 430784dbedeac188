# options: programs=1,elements=64
"""Of NaN neither an order nor its contrary is true: such a row stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    weight = tl.load(W + row)
    if weight < 0.5:
        return
    if weight == 1.0:
        return
    if (weight < 0.7) == (weight > 0.6):
        return
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x * weight, mask=cols < N)


# kernel for short rows, of which a program has several.
@triton.jit
def kernel_rows(X, W, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    weight = tl.load(W + rows, mask=row_mask)
    row_mask &= ~(weight < 0.5)
    row_mask &= weight != 1.0
    row_mask &= ~((weight < 0.7) == (weight > 0.6))
    x = tl.load(X + rows * stride + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows * stride + cols, x * weight, mask=row_mask & (cols < N))


# tritonopt: x: f32[m, n], w: f32[m]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.zeros_like(x)
    block = triton.next_power_of_2(n)
    if block <= 16:
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(64 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, w, y, x.stride(0), m, n, BLOCK=block, ROWS=rows_per_program
        )
    else:
        kernel[(m,)](x, w, y, x.stride(0), m, n, BLOCK=block)
    return y
