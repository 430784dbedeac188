# expect: missed not-a-recurrence
"""A name that is added to, and multiplied."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    value = 1.0
    for i in range(n):
        x = tl.load(X + i)
        value += x
        value *= x
    tl.store(Y, value)
