# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The counter of the second loop has no reader left, and is not bound for nothing."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: 0 < args["N"] - args["begin"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, N, begin, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    X += tl.program_id(0) * N
    if ONE_TILE:
        start = begin
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.max(x, axis=0)
        total = tl.sum(tl.exp(x - largest), axis=0)
    else:
        largest = -float("inf")
        for start in range(begin, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
            largest = tl.maximum(largest, tl.max(x, axis=0))
        total = 0.0
        for start in range(begin, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
            total += tl.sum(tl.exp(x - largest), axis=0)
    tl.store(Y + tl.program_id(0), largest + tl.log(total))


# tritonopt: x: f32[m, n], begin: 0|3
def run(x: torch.Tensor, begin: int = 0):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, begin, BLOCK=64)
    return y
