# expect: missed volatile-load
"""A volatile load."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        total += tl.load(X + i, volatile=True)
    tl.store(Y, total)
