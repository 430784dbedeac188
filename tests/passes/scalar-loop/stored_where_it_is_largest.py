# expect: missed not-a-recurrence
"""A store wherever an element is larger than all before."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    best = float("-inf")
    for i in range(n):
        x = tl.load(X + i)
        if x > best:
            best = x
            tl.store(Y + i, x)
