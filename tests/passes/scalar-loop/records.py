# expect: missed not-a-recurrence
"""How often a new largest element was found depends on the order."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    best = float("-inf")
    records = 0
    for i in range(n):
        x = tl.load(X + i)
        if x > best:
            best = x
            records += 1
    tl.store(Y, records)
