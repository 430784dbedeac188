# expect: analysis zero-changes-the-result
"""A row is sorted with the zeros of the lanes that are not there among its numbers."""

import torch
import triton
import triton.language as tl

@triton.jit
def k(X, Y, stride, N, K: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r * stride + c, mask=c < N)
    s = tl.sort(x, descending=True)
    tl.store(Y + r * K + c, s, mask=c < K)
