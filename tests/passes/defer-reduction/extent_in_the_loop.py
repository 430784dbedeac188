# expect: missed not-expressible
"""The extent of the tile is named in the loop only."""

import torch
import triton
import triton.language as tl


@triton.constexpr_function
def helper(n):
    return n // 2


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        HALF: tl.constexpr = helper(BLOCK)
        cols = start + tl.arange(0, HALF)
        acc += tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
