# expect: missed not-a-recurrence
"""What is added depends on the sum so far."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        x = tl.load(X + i)
        if x > total:
            total += x
    tl.store(Y, total)
