# expect: silent
"""The mask is one for the program: all lanes are there, or none."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=(row < N) & (cols >= 0))
    tl.store(Y + row, tl.sum(x, axis=0), mask=row < N)
