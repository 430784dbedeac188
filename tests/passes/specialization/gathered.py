# expect: silent
"""Which elements are loaded is loaded itself."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def pick(X, Index, Y, stride, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    places = tl.load(Index + lanes)
    tl.store(Y + lanes, tl.load(X + stride + places))
