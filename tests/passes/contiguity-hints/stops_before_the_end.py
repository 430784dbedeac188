# expect: analysis hint-can-be-false
"""Programs beyond the end return; the last one that stays still wraps."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(A, Y, M, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    if start >= M:
        return
    offs = start + tl.arange(0, BLOCK)
    rows = tl.max_contiguous(tl.multiple_of(offs % M, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(A + rows), mask=offs < M)
