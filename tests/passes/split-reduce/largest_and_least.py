# options: turns=1
"""Two accumulators with operations of their own; numbers, not tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    low = float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        top = tl.maximum(top, tl.max(tl.where(cols < N, x, -float("inf")), axis=0))
        low = tl.minimum(low, tl.min(tl.where(cols < N, x, float("inf")), axis=0))
    tl.store(Y + row, top - low)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
