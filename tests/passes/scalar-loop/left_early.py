# expect: missed early-exit
"""A search that stops at the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    found = -1
    for i in range(n):
        if tl.load(X + i) == 3:
            found = i
            break
    tl.store(Y, found)
