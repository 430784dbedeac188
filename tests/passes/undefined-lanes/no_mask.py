# expect: silent
"""Every lane is loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(X + row * stride + tl.arange(0, BLOCK))
    tl.store(Y + row, tl.sum(x, axis=0))
