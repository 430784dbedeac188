# expect: analysis hint-can-be-false
"""The lanes that wrap are not stored: said with the hint."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = tl.max_contiguous(tl.multiple_of(offs % N, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + source), mask=offs < N)
