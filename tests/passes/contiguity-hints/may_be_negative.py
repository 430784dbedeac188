# expect: missed not-shown
# assume: N % BLOCK == 0
"""Lanes before the row: -1 % N is -1 in compiled code."""

import torch
import triton
import triton.language as tl


@triton.jit
def halo_kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = (lanes - BLOCK) % N
    tl.store(Y + lanes, tl.load(X + left), mask=lanes < N)
