# expect: missed not-a-recurrence
"""What is kept of the last one neither rises nor falls."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    kept = -1
    for i in range(n):
        x = tl.load(X + i)
        if x > 0:
            kept = x
    tl.store(Y, kept)
