# expect: unchanged
# assume: N % BLOCK == 0
"""Not an address: which of two values a lane gets."""

import torch
import triton
import triton.language as tl


@triton.jit
def signs_kernel(Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    phase = offs % N
    tl.store(Y + offs, tl.where(phase < 2, 1.0, -1.0))
