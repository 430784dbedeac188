# expect: missed hint-can-be-false
# assume: N % BLOCK == 0
# assume: begin >= 0
"""The length fits, but the blocks begin anywhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def window_kernel(X, Y, N, begin, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = (begin + lanes) % N
    tl.store(Y + lanes, tl.load(X + cols), mask=lanes < N)
