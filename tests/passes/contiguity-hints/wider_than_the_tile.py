# expect: analysis hint-is-malformed
"""128 lanes of a tile that has 64."""

import torch
import triton
import triton.language as tl


@triton.jit
def head_kernel(X, Y):
    lanes = tl.arange(0, 64)
    at = tl.max_contiguous(tl.multiple_of(lanes, 64), 128)
    tl.store(Y + lanes, tl.load(X + at))
