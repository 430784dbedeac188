# expect: missed not-shown
# assume: N % BLOCK == 0
"""What was loaded may be anything."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(X, Index, Y, N, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(Index + lanes) % N
    tl.store(Y + lanes, tl.load(X + index))
