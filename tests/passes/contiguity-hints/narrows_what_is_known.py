# expect: analysis hint-narrows
"""The compiler knows of 64 consecutive lanes; the hint makes it 4."""

import torch
import triton
import triton.language as tl


@triton.jit
def head_kernel(X, Y):
    lanes = tl.arange(0, 64)
    at = tl.max_contiguous(tl.multiple_of(lanes, 4), 4)
    tl.store(Y + lanes, tl.load(X + at))
