# expect: silent
"""The mask may go off at any lane."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["N"])
def positive(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes)
    tl.store(Y + lanes, x, mask=(lanes < N) & (x > 0))
