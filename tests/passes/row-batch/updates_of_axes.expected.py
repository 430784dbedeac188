# verify: always
# options: elements=64
"""What is updated gets the axes of what it meets."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)[None, :]
    X += rows * stride
    X += cols  # the tile of a row
    x = tl.load(X, mask=row_mask & (cols < N), other=0.0)
    weights = cols.to(tl.float32) + 1.0
    weights *= x
    scale = tl.sum(weights, axis=1, keep_dims=True)
    scale -= weights
    tl.store(Y + rows * stride + cols, scale, mask=row_mask & (cols < N))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 64 elements, of several rows where these are short.
    rows = max(64 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
