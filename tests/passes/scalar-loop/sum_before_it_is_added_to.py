# expect: missed not-a-recurrence
"""The sum of all before: it is stored first and loaded then."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        tl.store(Y + i, total)
        total += tl.load(X + i)
