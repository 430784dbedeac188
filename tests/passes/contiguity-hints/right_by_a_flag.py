# expect: unchanged
"""The launcher's flag may say just what the hint needs."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(A, Y, M, BLOCK: tl.constexpr, EVEN_M: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rows = offs % M
    if EVEN_M:
        rows = tl.max_contiguous(tl.multiple_of(offs % M, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(A + rows), mask=offs < M)
