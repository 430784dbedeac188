# expect: missed not-lane-by-lane
"""A seed for each iteration, which must be a single number."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Y, n):
    for i in range(n):
        tl.store(Y + i, tl.rand(i, 0))
