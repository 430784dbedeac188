# expect: analysis hint-can-be-false
"""A promise of 16, in two statements and by keyword."""

import torch
import triton
import triton.language as tl


@triton.jit
def ring_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    src = tl.multiple_of(src, values=16)
    src = tl.max_contiguous(src, values=16)
    tl.store(Y + offs, tl.load(X + src))
