# expect: missed computed-twice
"""Compared as it stands, the choice would take the comparison in."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = tl.maximum(x, 0.5 if N == 3 else 0.5)
    tl.store(Y + cols, y, mask=cols < N)
