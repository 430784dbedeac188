# expect: missed called-from-a-kernel
"""Another kernel calls this one, and may pass a tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, SCALE, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x * SCALE, axis=0)
    return acc


@triton.jit
def outer(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(Y + lanes, kernel(X, lanes * 1.0, N, BLOCK))
