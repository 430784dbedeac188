# expect: missed not-a-recurrence
"""A pointer that goes on in each iteration."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        total += tl.load(X)
        X += 1
    tl.store(Y, total)
