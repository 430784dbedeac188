# expect: missed called-from-a-kernel
"""Another kernel calls this one, maybe with tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def total_of(X, n):
    total = 0
    for i in range(n):
        total += tl.load(X + i)
    return total


@triton.jit
def kernel(X, Y, n):
    tl.store(Y, total_of(X, n))
