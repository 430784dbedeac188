# options: elements=64
"""Of NaN neither an order nor its contrary is true: such a row stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
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
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, w, y, x.stride(0), m, n, BLOCK=block, ROWS=rows)
    return y
