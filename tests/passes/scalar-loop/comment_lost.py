# expect: missed comment-inside
"""A comment in an expression that is written on one line."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        x = tl.load(X + i)
        if x > 0:
            total += (
                x  # as it is
                * i
            )
    tl.store(Y, total)
