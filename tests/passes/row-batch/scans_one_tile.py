# expect: missed not-lane-by-lane
"""What stands in the branch for one tile cannot be lifted."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.max(tl.sort(x), axis=0))
    else:
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y
