# options: longer_rows=branch,raise_block=64
"""The launcher makes the tile as long as short rows; now as longer ones too. It counts warps."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        mean = tl.sum(x, axis=0) / N
        tl.store(Y + cols, x - mean, mask=cols < N)
    else:
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        mean = tl.sum(total, axis=0) / N
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + cols, x - mean, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # A tile of 16 elements at least.
    block = triton.next_power_of_2(max(n, 16)) if n <= 64 else 32
    num_warps = min(max(block // 512, 4), 16)
    kernel[(m,)](x, y, n, BLOCK=block, num_warps=num_warps)
    return y
