# expect: analysis zero-changes-the-result
"""Sums that begin at the end of the tile begin with lanes that are not there."""

import torch
import triton
import triton.language as tl

@triton.jit
def k(X, Y, stride, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r * stride + c, mask=c < N)
    y = tl.cumsum(tl.exp(x), 0, reverse=True)
    tl.store(Y + r * stride + c, y, mask=c < N)
