# expect: unchanged
"""A block that would wrap is left to somebody else, so the hint is true."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(A, Y, M, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    if start + BLOCK > M:
        return
    offs = start + tl.arange(0, BLOCK)
    rows = tl.max_contiguous(tl.multiple_of(offs % M, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(A + rows))
