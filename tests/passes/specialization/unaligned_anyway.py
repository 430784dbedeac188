# expect: silent
"""The programs lie one element apart, so 16 divides nothing."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) + stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) + stride + cols, x * 2, mask=cols < N)
