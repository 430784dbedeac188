# options: turns=1
"""What comes to a sum under a condition, or a mask, comes to a part of it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, limit, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    above = tl.zeros([BLOCK], dtype=tl.float32)
    count = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        above = tl.where(x > limit, above + x, above)
        if start + BLOCK <= N:
            count += (x > limit).to(tl.int32)
    tl.store(Y + row, tl.sum(above, axis=0) + tl.sum(count, axis=0))


def reduced(x: torch.Tensor, limit: float = 0.5):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, limit, BLOCK=64)
    return y
