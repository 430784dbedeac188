# expect: missed threads-exchange-data
"""What the loop reads was stored by one thread."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    tl.store(X, 0)
    total = 0
    for i in range(n):
        total += tl.load(X + i)
    tl.store(Y, total)
