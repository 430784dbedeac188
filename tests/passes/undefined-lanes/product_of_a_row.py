# verify: no, it has no launcher
"""A product with 0 is 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row, tl.reduce(x, 0, multiply))
