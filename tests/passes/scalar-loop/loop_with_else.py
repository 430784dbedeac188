# expect: missed loop-is-not-plain
"""A loop with an `else`."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        total += tl.load(X + i)
    else:
        total += 1
    tl.store(Y, total)
