# expect: missed accumulator-is-narrow
"""A count in eight bits, which wraps."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    count = tl.full([], 0, tl.int8)
    for i in range(n):
        if tl.load(X + i) == 3:
            count += 1
    tl.store(Y, count)
