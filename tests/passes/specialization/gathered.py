# expect: silent
"""Which elements are loaded is loaded itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def pick(X, Index, Y, stride: int, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    places = tl.load(Index + lanes)
    tl.store(Y + lanes, tl.load(X + stride + places))
