# expect: missed not-shown
# assume: N % BLOCK == 0
"""Neighboring lanes are 2 apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def even_kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = (2 * lanes) % N
    tl.store(Y + lanes, tl.load(X + even))
