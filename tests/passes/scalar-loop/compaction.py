# expect: missed not-a-recurrence
"""Where an element goes depends on those before it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    pos = 0
    for i in range(n):
        x = tl.load(X + i)
        if x > 0:
            tl.store(Y + pos, x)
            pos += 1
