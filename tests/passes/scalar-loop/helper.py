# expect: missed not-lane-by-lane
"""A helper with a branch, which a tile cannot take."""

import torch
import triton
import triton.language as tl


@triton.jit
def clipped(x):
    y = x
    if x > 1.0:
        y = 1.0
    return y


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y + i, clipped(tl.load(X + i)))
