# expect: missed type-is-unknown
"""The accumulator is of the type of whatever is passed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = tl.load(Y)
    for i in range(n):
        total += tl.load(X + i)
    tl.store(Y, total)
