# expect: missed pinned-bits
"""Somebody has matched the bits of another library."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    total = 0.0
    for i in range(n):
        total += tl.div_rn(tl.load(X + i), 3.0)
    tl.store(Y, total)
