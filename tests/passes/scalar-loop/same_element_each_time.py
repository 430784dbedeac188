# expect: missed dependence-between-iterations
"""Every iteration stores to one element; the last one wins."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y, tl.load(X + i))
