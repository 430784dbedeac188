# expect: missed type-is-unknown
"""The inner one is 0 without a load; the outer one makes fp32 of integers."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask)
    y = tl.where(mask, tl.where(mask, x, 0), 0.0) * 3.5
    tl.store(Y + cols, y, mask=mask)
