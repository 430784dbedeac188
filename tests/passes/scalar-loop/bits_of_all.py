# expect: missed no-such-reduction
"""Bits of integers, of which there is no reduction in all versions."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    bits = 0
    for i in range(n):
        bits |= tl.load(X + i)
    tl.store(Y, bits)
