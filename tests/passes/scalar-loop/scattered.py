# expect: missed dependence-between-iterations
"""The index of a store is loaded, and two may be the same."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Index, Y, n):
    for i in range(n):
        tl.store(Y + tl.load(Index + i), tl.load(X + i))
