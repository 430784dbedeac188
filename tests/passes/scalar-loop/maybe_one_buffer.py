# expect: missed dependence-between-iterations
"""What is read and what is stored may be one buffer, at other places."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in range(n - 1):
        tl.store(Y + i, tl.load(X + i + 1))
