# expect: analysis hint-can-be-false
"""Groups of 16 lanes: the second starts at 16, which is no multiple of 64."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y):
    lanes = tl.program_id(0) * 64 + tl.arange(0, 64)
    lanes = tl.max_contiguous(tl.multiple_of(lanes, 64), 16)
    tl.store(Y + lanes, tl.load(X + lanes))
