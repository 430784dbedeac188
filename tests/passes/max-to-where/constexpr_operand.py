# expect: missed type-changes
"""The compiler computes the maximum of a constexpr."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, LEAST: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols)
    tl.store(Y + cols, x * tl.maximum(LEAST, 0.0))
