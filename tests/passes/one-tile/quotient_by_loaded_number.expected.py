# options: longer_rows=branch,raise_block=64
"""A row is divided by a loaded number: a lane past the end would be 0 / 0 where that is 0."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def scaled_kernel(X, D, Y, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    d = tl.load(D + row)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total = tl.sum(x * (x / d), axis=0)
        tl.store(Y + cols, x / total, mask=cols < N)
    else:
        total = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += tl.sum(x * (x / d), axis=0)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + cols, x / total, mask=cols < N)


# tritonopt: x: f32[m, n], d: f32[m]
def scaled(x: torch.Tensor, d: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scaled_kernel[(m,)](x, d, y, n, BLOCK=16)
    return y
