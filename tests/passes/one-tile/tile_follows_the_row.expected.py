# verify: always
# options: longer_rows=branch,raise_block=64
"""Rows of up to 64 elements get a tile of their length, and longer ones keep theirs."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: 0 < args["N"] <= args["BLOCK"]})
@triton.jit
def softmax_kernel(X, Y, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        largest = tl.max(x, axis=0)
        total = tl.sum(tl.exp(x - largest), axis=0)
        tl.store(Y + cols, tl.exp(x - largest) / total, mask=cols < N)
    else:
        largest = float("-inf")
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
            largest = tl.maximum(largest, tl.max(x, axis=0))
        total = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
            total += tl.sum(tl.exp(x - largest), axis=0)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
            tl.store(Y + cols, tl.exp(x - largest) / total, mask=cols < N)


# tritonopt: x: f32[m, n]
def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(max(n, 16)) if n <= 64 else 16
    num_warps = min(max(block // 512, 4), 16)
    softmax_kernel[(m,)](x, y, n, BLOCK=block, num_warps=num_warps)
    return y
