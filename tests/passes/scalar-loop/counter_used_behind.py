# expect: missed name-is-bound-elsewhere
"""The variable of the loop is read behind it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        total += tl.load(X + i)
    tl.store(Y, total + i)
