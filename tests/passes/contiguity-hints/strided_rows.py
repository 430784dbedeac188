# expect: missed not-shown
# assume: M % BLOCK == 0
"""The rows of a matrix: a stride lies between the lanes."""

import torch
import triton
import triton.language as tl


@triton.jit
def first_column(A, Y, M, stride_am, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rows = offs % M
    tl.store(Y + offs, tl.load(A + rows * stride_am))
