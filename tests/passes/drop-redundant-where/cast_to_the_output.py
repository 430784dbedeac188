# expect: missed type-is-unknown
"""Where Y holds integers, the float would make fp32 of them, which rounds."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    y = tl.where(mask, x.to(Y.dtype.element_ty), 0.0)
    tl.store(Y + cols, y, mask=mask)
