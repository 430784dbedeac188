# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The launch leaves the tile to its default, which a heuristic is not given."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args.get("BLOCK", 32)})
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr = 32, ONE_TILE: tl.constexpr = False):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-6)
        tl.store(Y + cols, x * rstd, mask=cols < N)
    else:
        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            squares += x * x
        rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
