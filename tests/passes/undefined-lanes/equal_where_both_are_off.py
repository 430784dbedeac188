# expect: analysis zero-changes-the-result
"""Lanes that are not there are equal in both rows, and are counted."""

import torch
import triton
import triton.language as tl

@triton.jit
def k(X, T, Y, stride, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    t = tl.load(T + r * stride + c, mask=c < N)
    x = tl.load(X + r * stride + c, mask=c < N)
    tl.store(Y + r, tl.sum((x == t).to(tl.int32), 0))
