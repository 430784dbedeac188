# expect: silent
"""Whether the condition implies the mask is not known: nothing is said."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    x = tl.where(cols < K, x, 0.0)
    tl.store(Y + row, tl.sum(x, axis=0))
