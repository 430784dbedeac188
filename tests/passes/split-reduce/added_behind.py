# options: turns=1
"""Behind the loop the tile is added to, along an axis that has a name, and then reduced."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N - BLOCK + 1, BLOCK):
        acc += tl.load(X + row * stride + start + lanes).to(tl.float32)
    rest = N - N % BLOCK + lanes
    acc += tl.load(X + row * stride + rest, mask=rest < N, other=0.0).to(tl.float32)
    axis: tl.constexpr = 0
    tl.store(Y + row, tl.sum(acc, axis))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y
