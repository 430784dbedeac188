# expect: missed safety
"""Somebody relies on the order of the sum."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    # Bit-identical to the sum on the CPU.
    total = 0.0
    for i in range(n):
        total += tl.load(X + i)
    tl.store(Y, total)
