# expect: silent
"""A helper of the file clears the lanes."""

import triton
import triton.language as tl


@triton.jit
def cleared(x, mask):
    return tl.where(mask, x, 0.0)


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = cleared(tl.load(X + row * stride + cols, mask=mask), mask)
    tl.store(Y + row, tl.sum(x, axis=0))
