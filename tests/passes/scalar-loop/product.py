# expect: missed no-such-reduction
"""The language has no product of the lanes of a tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    product = 1.0
    for i in range(n):
        product *= tl.load(X + i)
    tl.store(Y, product)
