# expect: missed nan-is-propagated
"""A maximum that keeps NaN, which the reduction of a tile drops."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    largest = float("-inf")
    for i in range(n):
        largest = tl.maximum(largest, tl.load(X + i), propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y, largest)
