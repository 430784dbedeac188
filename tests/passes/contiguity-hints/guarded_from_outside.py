# expect: analysis hint-can-be-false
"""The hint is a property of the `%` outside of the `if`, and holds on every way. The guard says
nothing of the length."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(A, Y, M, stride, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if stride == 1:
        rows = tl.max_contiguous(tl.multiple_of(offs % M, BLOCK), BLOCK)
    else:
        rows = offs % M
    tl.store(Y + offs, tl.load(A + rows * stride), mask=offs < M)
