# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The loops count tiles, and form the offset from the counter."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: 0 < args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0) * N
    steps = tl.cdiv(N, BLOCK)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row + cols, mask=mask, other=0.0).to(tl.float32)
        norm = tl.sum(tl.abs(x), axis=0) + 1
        tl.store(Y + row + cols, x / norm, mask=mask)
    else:
        total = tl.zeros((BLOCK,), dtype=tl.float32)
        for step in range(0, steps):
            start = step * BLOCK
            cols = start + tl.arange(0, BLOCK)
            mask = cols < N
            x = tl.load(X + row + cols, mask=mask, other=0.0).to(tl.float32)
            total += tl.abs(x)
        norm = tl.sum(total, axis=0) + 1
        for step in range(0, steps):
            start = step * BLOCK
            cols = start + tl.arange(0, BLOCK)
            mask = cols < N
            x = tl.load(X + row + cols, mask=mask, other=0.0).to(tl.float32)
            tl.store(Y + row + cols, x / norm, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y
