# expect: unchanged
"""A promise about what the caller passes, which only the caller can break."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(X, Y, stride, BLOCK: tl.constexpr):
    stride = tl.multiple_of(stride, 8)
    offs = tl.program_id(0) * stride + tl.arange(0, BLOCK)
    tl.store(Y + offs, tl.load(X + tl.multiple_of(offs, 8)))
