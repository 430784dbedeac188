# expect: missed order-is-seen
"""An atomic of which the order shows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.atomic_xchg(Y + tl.load(X + i), i)
