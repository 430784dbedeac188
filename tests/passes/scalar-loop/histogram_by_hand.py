# expect: missed dependence-between-iterations
"""A count that is loaded and stored again."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Counts, n):
    for i in range(n):
        x = tl.load(X + i)
        tl.store(Counts + x, tl.load(Counts + x) + 1)
