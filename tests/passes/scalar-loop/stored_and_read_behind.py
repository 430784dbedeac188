# expect: missed threads-exchange-data
"""Another loop reads what this one stores, in other threads."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(X + i, tl.load(X + i) * 2)
    tl.store(Y, tl.load(X))
