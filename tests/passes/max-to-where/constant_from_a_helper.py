# expect: missed computed-twice
"""The helper returns a constant, and counts how often."""

import triton
import triton.language as tl


@triton.jit
def counted(P):
    tl.atomic_add(P, 1)
    return 0.5


@triton.jit
def kernel(X, Y, P, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = tl.maximum(x, counted(P))
    tl.store(Y + cols, y, mask=cols < N)
