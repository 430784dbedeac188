# expect: missed comment-inside
"""The comment behind the statement would go with it."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    x = tl.where(mask, x, 0.0)  # the sum of a row must not see the next one
    tl.store(Y, tl.sum(x, axis=0))
