# expect: missed last-value-is-used
"""What the last iteration has loaded is used behind the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    x = tl.load(X)
    for i in range(n):
        x = tl.load(X + i)
    tl.store(Y, x)
