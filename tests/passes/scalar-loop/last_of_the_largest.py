# expect: missed no-such-reduction
"""Of equal elements the last one's index."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    best = float("-inf")
    at = -1
    for i in range(n):
        x = tl.load(X + i)
        if x >= best:
            best = x
            at = i
    tl.store(Y, at)
