# expect: analysis compiler-is-not-told
"""Integers are added in 32 bits and all else in floats: it is data, whichever they are."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["N"])
def sum_up(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    if x.dtype.is_int():
        x = x.to(tl.int32)
    else:
        x = x.to(tl.float32)
    tl.store(Y + offsets, tl.cumsum(x, axis=0), mask=offsets < N)
