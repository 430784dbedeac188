# expect: analysis axis-is-a-float
"""tl.maximum gives no indices: only who wrote it knows what was meant."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    y = tl.load(Y + cols, mask=cols < N, other=0.0)
    z = tl.max(x, y, return_indices=False)
    tl.store(Y + cols, z, mask=cols < N)
