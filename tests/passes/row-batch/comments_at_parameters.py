"""What a heuristic chose is not asked in the new kernel; comments stay at their parameters."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(
    X,  # rows
    Y
    , N  # how long a row is
    , BLOCK: tl.constexpr  # a power of two
    # whether one tile holds a row
    , ONE_TILE: tl.constexpr  # set by the heuristic
):
    row = tl.program_id(0)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        total = tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)
        tl.store(Y + row, total)
    else:
        acc = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y
