# options: elements=64
"""The compiler knows how long the row is, and compares it with the tile in two places."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, W, stride, N: tl.constexpr, BLOCK: tl.constexpr):
    weights = 0.0
    if N <= BLOCK:
        x = tl.load(X + tl.program_id(0) * stride + tl.arange(0, BLOCK), mask=tl.arange(0, BLOCK) < N, other=0.0)
        largest = tl.max(x, axis=0)
    else:
        largest = -float("inf")
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N, other=-float("inf"))
            largest = tl.maximum(largest, tl.max(x, axis=0))
    weights += tl.load(W)
    if N <= BLOCK:
        tl.store(Y + tl.program_id(0), largest * weights)
    else:
        tl.store(Y + tl.program_id(0), (largest + 1.0) * weights)


# tritonopt: x: f32[m, n], w: f32[1]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, w, x.stride(0), N=n, BLOCK=16)
    return y
