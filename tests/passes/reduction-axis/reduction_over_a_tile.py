# verify: no, the original does not compile
"""The larger of two tiles is tl.maximum; tl.max takes an axis."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    y = tl.load(Y + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, tl.max(x, y), mask=cols < N)
