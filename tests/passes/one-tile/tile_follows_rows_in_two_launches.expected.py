# options: longer_rows=branch,raise_block=64
"""Each launch knows its own length of the row, one as a product."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"ONE_TILE": lambda args: 0 < args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    if ONE_TILE:
        most = tl.full([BLOCK], 0.0, tl.float32)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        most = tl.maximum(most, tl.abs(x))
        largest = tl.max(most, axis=0)
        tl.store(Y + cols, x + largest, mask=cols < N)
    else:
        most = tl.full([BLOCK], 0.0, tl.float32)
        for tile in range(tl.cdiv(N, BLOCK)):
            cols = tile * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            most = tl.maximum(most, tl.abs(x))
        largest = tl.max(most, axis=0)
        for tile in range(tl.cdiv(N, BLOCK)):
            cols = tile * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + cols, x + largest, mask=cols < N)


# tritonopt: x: f32[m, 3, w]
def run(x: torch.Tensor):
    m, h, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    z = torch.empty_like(x)
    length = h * w
    block = triton.next_power_of_2(max(length, 16)) if length <= 64 else 16
    num_warps = min(max(block // 512, 4), 16)
    kernel[(m,)](x, y, h * w, block, num_warps=num_warps)
    block = triton.next_power_of_2(max(w, 16)) if w <= 64 else 32
    num_warps = min(max(block // 512, 4), 16)
    kernel[(m * h,)](y, z, w, block, num_warps=num_warps)
    return z
