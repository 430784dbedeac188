# expect: analysis hint-can-be-false
"""The last program selects element 0 in the middle of its block."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(offs < N, offs, 0)
    safe = tl.max_contiguous(tl.multiple_of(safe, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)
