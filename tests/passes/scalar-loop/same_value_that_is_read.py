# expect: missed dependence-between-iterations
"""All iterations store one value, which a later one may read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Index, Y, n):
    for i in range(n):
        j = tl.load(Index + i)
        x = tl.load(X + i)
        tl.store(X + j, 0)
        tl.store(Y + i, x)
