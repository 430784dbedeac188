# expect: missed not-a-recurrence
"""It begins with an element that may be NaN."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    best = tl.load(X).to(tl.float32)
    at = 0
    for i in range(1, n):
        x = tl.load(X + i)
        if x > best:
            best = x
            at = i
    tl.store(Y, at)
