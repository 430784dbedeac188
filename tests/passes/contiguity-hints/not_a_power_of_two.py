# expect: analysis hint-is-malformed
"""48 is no power of two."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(X, Y, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * 48 + tl.arange(0, BLOCK)
    lanes = tl.max_contiguous(tl.multiple_of(lanes, 48), 16)
    tl.store(Y + lanes, tl.load(X + lanes))
