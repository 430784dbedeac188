# expect: analysis compiler-is-not-told
"""Rows beyond the last one are the first ones again; which of the strides is 1 is not told."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_tile(X, Y, M, stride_m: int, stride_n: int, BLOCK: tl.constexpr):
    rows = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]) % M
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride_m + cols * stride_n)
    tl.store(Y + tl.program_id(0) * BLOCK * BLOCK + tl.arange(0, BLOCK)[:, None] * BLOCK + cols, x)
