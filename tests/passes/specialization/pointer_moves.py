# expect: analysis compiler-is-not-told
"""The stride goes into the pointer first."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * stride
    Y += tl.program_id(0) * stride
    cols = tl.arange(0, BLOCK)
    tl.store(Y + cols, tl.load(X + cols, mask=cols < N) * 2, mask=cols < N)
