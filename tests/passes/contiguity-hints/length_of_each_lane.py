# expect: missed not-shown
"""Each lane wraps at a length of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def ragged_kernel(X, Lengths, Y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    length = tl.load(Lengths + lanes)
    tl.store(Y + lanes, tl.load(X + (tl.program_id(0) * BLOCK + lanes) % length))
