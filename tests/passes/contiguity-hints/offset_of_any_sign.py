# expect: missed not-shown
# assume: N % BLOCK == 0
# assume: shift % BLOCK == 0
"""An offset that the caller chooses may be negative, whatever it is a multiple of."""

import torch
import triton
import triton.language as tl


@triton.jit
def roll_kernel(X, Y, N, shift, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = (lanes + shift) % N
    tl.store(Y + lanes, tl.load(X + src), mask=lanes < N)
