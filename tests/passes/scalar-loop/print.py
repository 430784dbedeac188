# expect: missed opaque-value
"""A print in each iteration."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        x = tl.load(X + i)
        tl.device_print("x", x)
        tl.store(Y + i, x)
