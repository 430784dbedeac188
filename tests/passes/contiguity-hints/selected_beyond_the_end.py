# expect: missed hint-can-be-false
# assume: N % BLOCK == 0
"""A whole program may lie beyond N, and then all of its lanes select element 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(offs < N, offs, 0)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)
