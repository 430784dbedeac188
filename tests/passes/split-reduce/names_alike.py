# options: turns=1
"""Accumulators whose names differ in nothing but capitals; a loop that begins anywhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, skip, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    s = tl.zeros([BLOCK], dtype=tl.float32)
    S = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(skip * 2 + 1, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        s += x
        S += x * x
    tl.store(Y + 2 * row, tl.sum(s, axis=0))
    tl.store(Y + 2 * row + 1, tl.sum(S, axis=0))


# tritonopt: x: f32[m, n], skip: int in 0..1
def reduced(x: torch.Tensor, skip: int):
    m, n = x.shape
    splits = torch.empty(m, 2, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, splits, x.stride(0), n, skip, BLOCK=32)
    return splits
