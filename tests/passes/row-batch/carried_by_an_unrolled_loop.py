# expect: missed not-lane-by-lane
"""In an unrolled loop a number stays a number, and takes on the type of the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, TILES: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for tile in tl.static_range(TILES):
        cols = tile * BLOCK + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16, TILES=triton.cdiv(n, 16))
    return y
