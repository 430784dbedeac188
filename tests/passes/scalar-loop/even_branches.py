# expect: missed shapes-differ
"""A name that is a tile after one branch only, which a runtime flag takes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, flag):
    for i in range(n):
        x = 0.0
        if flag > 0:
            x = tl.load(X + i)
        tl.store(Y + i, x)
