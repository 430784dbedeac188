# expect: silent
"""A heuristic that is not seen chooses between two forms already."""

import torch
import triton
import triton.language as tl
from flag_gems import runtime


@triton.heuristics(runtime.get_heuristic_config("rms_norm"))
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, ONE_TILE_PER_CTA: tl.constexpr):
    row = tl.program_id(0) * N
    if ONE_TILE_PER_CTA:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + row + cols, x / tl.sum(x * x, axis=0), mask=cols < N)
    else:
        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + cols, mask=cols < N, other=0.0).to(tl.float32)
            squares += x * x
        total = tl.sum(squares, axis=0)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + row + cols, x / total, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
