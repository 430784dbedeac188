# options: longer_rows=branch,raise_block=64
"""Each launch knows its own length of the row, one as a product."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    most = tl.full([BLOCK], 0.0, tl.float32)
    for tile in range(tl.cdiv(N, BLOCK)):
        cols = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        most = tl.maximum(most, tl.abs(x))
    largest = tl.max(most, axis=0)
    for tile in range(tl.cdiv(N, BLOCK)):
        cols = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x + largest, mask=cols < N)


# tritonopt: x: f32[m, 3, w]
def run(x: torch.Tensor):
    m, h, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    z = torch.empty_like(x)
    kernel[(m,)](x, y, h * w, 16)
    kernel[(m * h,)](y, z, w, 32)
    return z
