# expect: silent
"""Masked off lanes are not stored either."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask)
    tl.store(Y + row * stride + cols, x * 2, mask=mask)
