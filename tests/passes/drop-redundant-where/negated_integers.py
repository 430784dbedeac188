# expect: missed value-is-not-known
"""The negative of the integer 0 is 0, and 0.0 as a float."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0)
    y = tl.where(mask, (-x).to(tl.float32), -0.0)
    tl.store(Y + cols, y, mask=mask)
