# expect: missed computed-twice
"""The constant gets its name where it is used."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = tl.maximum(x, (floor := 0.5)) - floor
    tl.store(Y + cols, y, mask=cols < N)
